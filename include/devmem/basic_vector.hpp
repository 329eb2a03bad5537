/// \file
/// `basic_vector`: the container behind `device_vector`, `pinned_buffer`, `mapped_buffer` and
/// `managed_vector`.
#pragma once

#include <devmem/access.hpp>
#include <devmem/config.hpp>
#include <devmem/container/range.hpp>
#include <devmem/container/typed_elements.hpp>
#include <devmem/ordering.hpp>
#include <devmem/placement.hpp>
#include <devmem/uninitialized.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <new>

namespace devmem::inline v0 {

namespace detail {

/// `std::vector<T>`; defined by `<devmem/to_host.hpp>`, which `to_host()` needs.
template <class T>
struct host_vector_of;
/// `std::span<T>`; defined by the headers of containers that the host may touch.
template <class T>
struct host_span_of;

}  // namespace detail

/// Defined by `<devmem/device_slices.hpp>`, which `split` needs.
template <class T>
class device_slices;

/// Owns consecutive elements in the memory of one device. Elements are trivially copyable; new
/// ones are zero unless a value or `uninitialized` is given.
///
/// Work on the elements is in the order of a stream: the one given, by default the current stream
/// of the container's device. Nothing waits but what returns host values or says so. Destroying
/// never throws. A moved-from container is empty, usable, and keeps its device; the device of a
/// container changes by move and swap only. What throws leaves the container as it was.
/// Everything that obtains memory throws `length_error` and `out_of_memory`, everything that takes
/// a stream `wrong_device` for another device's.
template <class T, class Policy>
requires device_element<T>
class basic_vector {
    using elements = detail::typed_elements<T, Policy>;
    static constexpr memory_space space_of_policy = Policy::space_type::space;
    static constexpr bool host_may_touch = space_of_policy != memory_space::device;

  public:
    using value_type = T;           ///< of the elements
    using size_type = std::size_t;  ///< of sizes and positions
    using policy_type = Policy;     ///< what the options normalise to

    /// Empty, on the current device.
    basic_vector(place at = place::here()) : basic_vector(placement(at)) {}
    /// Empty.
    explicit basic_vector(const placement& where) : elements_(where) {}
    /// `n` zeros.
    explicit basic_vector(std::size_t n, const placement& where = {})
        : basic_vector(n, detail::initial_value::zero(), where) {}
    /// `n` times `value`. @{
    basic_vector(std::size_t n, const T& value,
                 place at = place::here()) requires(!std::same_as<T, devmem::device>)
        : basic_vector(n, value, placement(at)) {}
    basic_vector(std::size_t n, const T& value, const placement& where)
        : basic_vector(n, detail::initial_value{&value, sizeof(T)}, where) {}
    /// @}
    /// `n` elements without a value.
    basic_vector(std::size_t n, uninitialized_t, const placement& where = {})
        : basic_vector(n, detail::initial_value::none(), where) {}
    /// The elements of a list.
    basic_vector(std::initializer_list<T> values, const placement& where = {})
        : basic_vector(detail::bytes_of_range(values), where) {}
    /// The elements of contiguous host memory, which has been read when this returns.
    template <host_range R>
    requires std::same_as<detail::element_of_t<R>, T>
    explicit basic_vector(const R& values, const placement& where = {})
        : basic_vector(detail::bytes_of_range(values), where) {}
    /// The elements of a container or view, of whatever device and policy. @{
    template <device_range R>
    requires std::same_as<detail::element_of_t<R>, T>
    explicit basic_vector(const R& values, const placement& where)
        : basic_vector(detail::bytes_of_range(values), where) {}
    template <device_range R>
    requires std::same_as<detail::element_of_t<R>, T> &&
        (!std::same_as<R, basic_vector>)explicit basic_vector(const R& values,
                                                              place at = place::here())
        : basic_vector(values, placement(at)) {}
    /// @}
    /// The elements of `other`, on its device.
    basic_vector(const basic_vector& other) : basic_vector(other, placement(other.device())) {}
    /// Takes the memory of `other`, which is empty then.
    basic_vector(basic_vector&&) noexcept = default;
    ~basic_vector() = default;

    /// Takes the elements of `other` to this container's own device.
    basic_vector& operator=(const basic_vector& other) {
        if (this != &other) assign(other);
        return *this;
    }
    /// Takes the memory of `other`, and its device; moving to itself changes nothing.
    basic_vector& operator=(basic_vector&&) noexcept = default;
    /// As `assign(values)`.
    basic_vector& operator=(std::initializer_list<T> values) {
        assign(values);
        return *this;
    }
    void swap(basic_vector& other) noexcept { elements_.swap(other.elements_); }  ///< and devices
    friend void swap(basic_vector& a, basic_vector& b) noexcept { a.swap(b); }    ///< the same

    std::size_t size() const noexcept { return elements_.size(); }          ///< elements
    std::size_t size_bytes() const noexcept { return size() * sizeof(T); }  ///< bytes
    std::size_t capacity() const noexcept { return elements_.capacity(); }  ///< has room for
    bool empty() const noexcept { return size() == 0; }                     ///< has none
    devmem::device device() const noexcept { return elements_.where(); }    ///< has the memory
    memory_space space() const noexcept { return space_of_policy; }         ///< what kind

    /// Changes the size; keeps the elements there are, and the capacity. New elements are zero.
    /// @sync none
    void resize(std::size_t n, stream_view s = {}, place at = place::here()) {
        elements_.resize(n, detail::initial_value::zero(), s, at);
    }
    /// As `resize(n)`; new elements are `value`.
    void resize(std::size_t n, const T& value, stream_view s = {}, place at = place::here()) {
        elements_.resize(n, {&value, sizeof(T)}, s, at);
    }
    /// As `resize(n)`; new elements have no value.
    void resize(std::size_t n, uninitialized_t, stream_view s = {}, place at = place::here()) {
        elements_.resize(n, detail::initial_value::none(), s, at);
    }
    /// Makes room for `n` elements in all. @sync none
    void reserve(std::size_t n, stream_view s = {}, place at = place::here()) {
        elements_.reserve(n, s, at);
    }
    /// Gives back room that is not used. @sync none
    void shrink_to_fit(stream_view s = {}, place at = place::here()) {
        elements_.shrink_to_fit(s, at);
    }
    void clear() noexcept { elements_.clear(); }  ///< removes the elements, keeps the memory
    void reset() noexcept { elements_.reset(); }  ///< removes both

    /// Has just the elements of `values` afterwards, which may be part of this container.
    /// Host memory has been read on return. @sync none
    template <class R>
    requires(device_range<R> || host_range<R>) &&
        std::same_as<detail::element_of_t<R>, T> void assign(const R& values, stream_view s = {},
                                                             place at = place::here()) {
        elements_.replace_tail(0, detail::bytes_of_range(values), s, at);
    }
    /// Has `n` times `value` afterwards. @sync none
    void assign(std::size_t n, const T& value, stream_view s = {}, place at = place::here()) {
        elements_.assign(n, {&value, sizeof(T)}, s, at);
    }
    /// Adds the elements of `values`, which may be part of this container. Room grows by a factor.
    /// @sync none
    template <class R>
    requires(device_range<R> || host_range<R>) &&
        std::same_as<detail::element_of_t<R>, T> void append(const R& values, stream_view s = {},
                                                             place at = place::here()) {
        elements_.replace_tail(size(), detail::bytes_of_range(values), s, at);
    }

    /// The element at `i`. For looking, not for loops.
    /// @throws invalid_argument when there is none @sync stream
    T get(std::size_t i, stream_view s = {}, place at = place::here()) const {
        alignas(T) std::byte value[sizeof(T)] = {};
        elements::copy(elements_.element(i, at), elements::host_element(value), s,
                       detail::copy_mode::blocking, at);
        return *std::launder(reinterpret_cast<T*>(value));
    }
    /// Brings the element at `i` to `one`, a range of one element.
    /// @throws invalid_argument when there is none @sync none
    template <detail::output_range Out>
    requires std::same_as<detail::element_of_t<Out>, T>
    void get_async(std::size_t i, Out&& one, stream_view s = {}, place at = place::here()) const {
        elements::copy(elements_.element(i, at), detail::bytes_of_range(one), s,
                       detail::copy_mode::asynchronous, at);
    }
    /// Makes the element at `i` be `value`.
    /// @throws invalid_argument when there is none @sync stream
    void set(std::size_t i, const T& value, stream_view s = {}, place at = place::here()) {
        elements::copy(elements::host_element(&value), elements_.element(i, at), s,
                       detail::copy_mode::blocking, at);
    }
    /// As `set`, without waiting; `value` is taken at the call. @sync none
    void set_async(std::size_t i, const T& value, stream_view s = {}, place at = place::here()) {
        elements::copy(elements::host_element(&value), elements_.element(i, at), s,
                       detail::copy_mode::asynchronous, at);
    }
    /// The elements, on the host, as a `std::vector<T>`. Needs `<devmem/to_host.hpp>`, which
    /// `<devmem/devmem.hpp>` includes. @sync stream
    template <class U = T>
    typename detail::host_vector_of<U>::type to_host(stream_view s = {},
                                                     place at = place::here()) const {
        using values_type = typename detail::host_vector_of<U>::type;
        typename detail::host_vector_of<U>::buffer values(size());
        elements::copy(detail::bytes_of_range(*this), detail::bytes_of_range(values), s,
                       detail::copy_mode::blocking, at);
        if constexpr (std::same_as<decltype(values), values_type>) {
            return values;
        } else {
            return values_type(values.begin(), values.end());
        }
    }

    /// The elements, in pinned memory: looking at them waits for the copy. @sync none
    template <class Pinned = detail::pinned_of<T, Policy>>
    Pinned to_host_async(stream_view s = {}, place at = place::here()) const {
        Pinned values(size(), uninitialized,
                      placement(stream_view(elements_.stream_for(s, at)), at));
        elements::copy(detail::bytes_of_range(*this), detail::bytes_of_range(values), s,
                       detail::copy_mode::asynchronous, at);
        return values;
    }

    /// Who keeps accesses in order; devmem unless it is told otherwise. @{
    devmem::ordering ordering() const noexcept {
        return elements_.is_manual() ? ordering::manual : ordering::automatic;
    }
    void set_ordering(devmem::ordering by) noexcept {
        elements_.set_manual(by == ordering::manual);
    }
    /// @}
    /// An access for work of the program's own on `s`, which waits for what conflicts. @sync none
    /// @throws access_conflict while a conflicting access is open elsewhere @{
    block_access<const T> read(stream_view s, place at = place::here()) const {
        return {of(),
                {address(), size()},
                elements_.stream_for(s, at),
                detail::access_mode::read,
                elements::by(at)};
    }
    block_access<T> write(stream_view s, place at = place::here()) {
        return {of(),
                {address(), size()},
                elements_.stream_for(s, at),
                detail::access_mode::write,
                elements::by(at)};
    }
    block_access<T> read_write(stream_view s, place at = place::here()) { return write(s, at); }
    /// @}

    /// `k` parts of nearly the same size, each with an order of its own; or a part from each of
    /// `offsets`, which begin with 0 and do not fall, to the next. See `device_slices`.
    /// @throws invalid_argument, access_conflict while an access is open @{
    template <class Slices = device_slices<T>>
    Slices split(std::size_t k, place at = place::here()) & {
        return Slices(view(), k, elements::by(at));
    }
    template <host_range Offsets, class Slices = device_slices<T>>
    Slices split(const Offsets& offsets, place at = place::here()) & {
        return Slices(view(), offsets, elements::by(at));
    }
    /// @}

    /// All elements, or some, for copies and algorithms. @{
    device_view<T> view() & noexcept { return {address(), size(), of(), device(), space()}; }
    device_view<const T> view() const& noexcept {
        return {address(), size(), of(), device(), space()};
    }
    void view() const&& = delete;
    device_view<T> first(std::size_t n) & { return view().first(n); }
    device_view<const T> first(std::size_t n) const& { return view().first(n); }
    void first(std::size_t) const&& = delete;
    device_view<T> last(std::size_t n) & { return view().last(n); }
    device_view<const T> last(std::size_t n) const& { return view().last(n); }
    void last(std::size_t) const&& = delete;
    device_view<T> subspan(std::size_t offset, std::size_t n) & {
        return view().subspan(offset, n);
    }
    device_view<const T> subspan(std::size_t offset, std::size_t n) const& {
        return view().subspan(offset, n);
    }
    void subspan(std::size_t, std::size_t) const&& = delete;
    /// @}

    /// Device memory: the address, for work of the program's own on `current_stream(device())`.
    /// Memory that the host may touch: waits for work on it, then gives the address. @{
    T* data(place at = place::here()) {
        elements_.use_raw(detail::access_mode::write, at);
        return address();
    }
    const T* data(place at = place::here()) const {
        elements_.use_raw(detail::access_mode::read, at);
        return address();
    }
    /// @}

    /// Memory that the host may touch, once work on it is over. Each of these waits. @{
    T* begin(place at = place::here()) requires host_may_touch { return host_write(at).data(); }
    T* end(place at = place::here()) requires host_may_touch { return begin(at) + size(); }
    const T* begin(place at = place::here()) const requires host_may_touch {
        return host_read(at).data();
    }
    const T* end(place at = place::here()) const requires host_may_touch {
        return begin(at) + size();
    }
    const T* cbegin(place at = place::here()) const requires host_may_touch { return begin(at); }
    const T* cend(place at = place::here()) const requires host_may_touch { return end(at); }
    /// @}
    /// An element, after the same wait. @pre i < size() @{
    T& operator[](std::size_t i) requires host_may_touch {
        DEVMEM_ASSERT(i < size());
        return begin()[i];
    }
    const T& operator[](std::size_t i) const requires host_may_touch {
        DEVMEM_ASSERT(i < size());
        return begin()[i];
    }
    /// @}
    /// The elements for the host to read, once work that writes them is over.
    template <class U = T>
    typename detail::host_span_of<const U>::type host_read(place at = place::here()) const requires
        host_may_touch {
        elements_.wait_on_host(detail::access_mode::read, at);
        return {address(), size()};
    }
    /// The elements for the host to write, once all work on them is over. Taken anew for each
    /// batch: a span kept from before is a plain pointer.
    template <class U = T>
    typename detail::host_span_of<U>::type host_write(place at = place::here()) requires
        host_may_touch {
        elements_.wait_on_host(detail::access_mode::write, at);
        return {address(), size()};
    }
    /// The address, without a wait: the order is the caller's affair.
    T* unsynchronized_data() noexcept requires host_may_touch { return address(); }
    /// The same.
    const T* unsynchronized_data() const noexcept requires host_may_touch { return address(); }

    /// For devmem's own use: owns `block`, which holds `n` elements.
    basic_vector(detail::block& block, std::size_t n) noexcept : elements_(block, n) {}

  private:
    basic_vector(std::size_t n, detail::initial_value value, const placement& where)
        : elements_(n, value, elements::resolve(where)) {}
    basic_vector(const detail::byte_range& values, const placement& where)
        : elements_(values, elements::resolve(where)) {}

    T* address() const noexcept { return elements_.address(); }
    const detail::block* of() const noexcept { return elements_.of(); }

    elements elements_;
};

}  // namespace devmem::inline v0
