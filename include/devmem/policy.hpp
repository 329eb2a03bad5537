/// \file
/// The options of containers, an axis each, and the policy that they normalise to.
#pragma once

#include <devmem/backend/memory_space.hpp>

#include <devmem/backend/device_value.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace devmem::inline v0 {

// ---- axis "backend": the code path ----

struct dynamic_backend;  ///< chosen at run time, by the device (default)
struct cpu_backend;      ///< CPU devices only
struct cuda_backend;     ///< CUDA devices only

// ---- axis "space": where the memory lives and who may touch it ----

/// The device's own memory, which the host cannot touch (default).
struct device_space {
    static constexpr memory_space space = memory_space::device;  ///< as a value
};
/// Page-locked host memory.
struct pinned_space {
    static constexpr memory_space space = memory_space::pinned;  ///< as a value
};
/// Page-locked host memory that kernels reach across the bus.
struct mapped_space {
    static constexpr memory_space space = memory_space::mapped;  ///< as a value
};
/// Memory that moves to whoever touches it.
struct managed_space {
    static constexpr memory_space space = memory_space::managed;  ///< as a value
};

// ---- axis "allocation": how memory is obtained ----

/// From devmem's caching pool (default).
struct pooled {};
/// Straight from the backend, and straight back.
struct direct {};
/// From the driver's own pool, in the order of a stream; `direct` where the space is not `device`.
struct stream_ordered {};

/// An allocation option of the user's own: a stateless class with two static functions.
///
/// `allocate` returns memory of that space on that device, aligned to 256 bytes, or throws;
/// `deallocate` takes it back once every use has passed, and must not throw.
template <class A>
concept user_allocation = std::is_empty_v<A> &&
    requires(device d, memory_space space, std::size_t bytes, void* data) {
    { A::allocate(d, space, bytes) } -> std::same_as<void*>;
    { A::deallocate(d, space, data, bytes) }
    noexcept;
};

/// What options normalise to: one type, however they were spelled.
template <class Backend, class Space, class Allocation>
struct policy {
    using backend_type = Backend;        ///< the code path
    using space_type = Space;            ///< where memory lives
    using allocation_type = Allocation;  ///< how it is obtained
};

namespace detail {

template <class T, class... Among>
inline constexpr bool is_one_of = (std::is_same_v<T, Among> || ...);

template <class O>
inline constexpr bool is_backend_option = is_one_of<O, dynamic_backend, cpu_backend, cuda_backend>;
template <class O>
inline constexpr bool is_space_option =
    is_one_of<O, device_space, pinned_space, mapped_space, managed_space>;
template <class O>
struct allocation_option : std::bool_constant<is_one_of<O, pooled, direct, stream_ordered>> {};
// Backends are left out first: one that this program has no CUDA for is an incomplete type.
template <class O>
requires(!is_backend_option<O>) && user_allocation<O> struct allocation_option<O> : std::true_type {
};
template <class O>
inline constexpr bool is_allocation_option = allocation_option<O>::value;

/// The first of the options that `Axis` accepts, or the default.
template <template <class> class Axis, class Default, class... Options>
struct choose {
    using type = Default;
};
template <template <class> class Axis, class Default, class First, class... Rest>
struct choose<Axis, Default, First, Rest...> {
    using type = typename std::conditional_t<Axis<First>::value, std::type_identity<First>,
                                             choose<Axis, Default, Rest...>>::type;
};

template <class O>
using backend_axis = std::bool_constant<is_backend_option<O>>;
template <class O>
using space_axis = std::bool_constant<is_space_option<O>>;
template <class O>
using allocation_axis = std::bool_constant<is_allocation_option<O>>;

template <template <class> class Axis, class... Options>
inline constexpr int times_named = (0 + ... + static_cast<int>(Axis<Options>::value));

/// The policy for a container of a fixed space.
template <class Space, class... Options>
struct normalized {
    static_assert(times_named<backend_axis, Options...> <= 1,
                  "devmem: the axis 'backend' is named twice among the container's options");
    static_assert(times_named<allocation_axis, Options...> <= 1,
                  "devmem: the axis 'allocation' is named twice among the container's options");
    static_assert(times_named<space_axis, Options...> == 0,
                  "devmem: the axis 'space' is fixed by this container's name; for another space "
                  "use device_vector, pinned_buffer, mapped_buffer or managed_vector");
    static_assert(((is_backend_option<Options> || is_space_option<Options> ||
                    is_allocation_option<Options>)&&...),
                  "devmem: one of the container's options belongs to no axis (backend, space, "
                  "allocation)");
    using type = policy<typename choose<backend_axis, dynamic_backend, Options...>::type, Space,
                        typename choose<allocation_axis, pooled, Options...>::type>;
};

}  // namespace detail

}  // namespace devmem::inline v0
