/// \file
/// `basic_vector`: the container behind `device_vector`, `pinned_buffer`, `mapped_buffer` and
/// `managed_vector`.
#pragma once

#include <devmem/config.hpp>
#include <devmem/container/elements.hpp>
#include <devmem/container/range.hpp>
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
    static constexpr memory_space space_of_policy = Policy::space_type::space;
    static constexpr bool host_may_touch = space_of_policy != memory_space::device;

  public:
    using value_type = T;
    using size_type = std::size_t;
    using policy_type = Policy;

    /// Empty, on the current device.
    basic_vector() : basic_vector(placement{}) {}
    /// Empty.
    explicit basic_vector(placement where) : elements_(place(where).where) {}
    /// `n` zeros.
    explicit basic_vector(std::size_t n, placement where = {})
        : basic_vector(n, detail::initial_value::zero(), place(where)) {}
    /// `n` times `value`.
    basic_vector(std::size_t n, const T& value) requires(!std::same_as<T, devmem::device>)
        : basic_vector(n, value, placement{}) {}
    basic_vector(std::size_t n, const T& value, placement where)
        : basic_vector(n, detail::initial_value{&value, sizeof(T)}, place(where)) {}
    /// `n` elements without a value.
    basic_vector(std::size_t n, uninitialized_t, placement where = {})
        : basic_vector(n, detail::initial_value::none(), place(where)) {}
    basic_vector(std::initializer_list<T> values, placement where = {})
        : basic_vector(detail::bytes_of_range(values), place(where)) {}
    /// The elements of contiguous host memory, which has been read when this returns.
    template <host_range R>
    requires std::same_as<detail::element_of_t<R>, T>
    explicit basic_vector(const R& values, placement where = {})
        : basic_vector(detail::bytes_of_range(values), place(where)) {}
    /// The elements of a container or view, of whatever device and policy.
    template <device_range R>
    requires std::same_as<detail::element_of_t<R>, T>
    explicit basic_vector(const R& values, placement where)
        : basic_vector(detail::bytes_of_range(values), place(where)) {}
    template <device_range R>
    requires std::same_as<detail::element_of_t<R>, T> &&
        (!std::same_as<R, basic_vector>)explicit basic_vector(const R& values)
        : basic_vector(values, placement{}) {}
    /// The elements of `other`, on its device.
    basic_vector(const basic_vector& other) : basic_vector(other, placement(other.device())) {}
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
    void swap(basic_vector& other) noexcept { elements_.swap(other.elements_); }
    friend void swap(basic_vector& a, basic_vector& b) noexcept { a.swap(b); }

    std::size_t size() const noexcept { return elements_.size(); }
    std::size_t size_bytes() const noexcept { return size() * sizeof(T); }
    std::size_t capacity() const noexcept { return elements_.capacity(); }
    bool empty() const noexcept { return size() == 0; }
    devmem::device device() const noexcept { return elements_.where(); }
    memory_space space() const noexcept { return space_of_policy; }

    /// Changes the size; keeps the elements there are, and the capacity. New elements are zero.
    /// @sync none
    void resize(std::size_t n, stream_view s = {}) {
        elements_.resize(kind, n, detail::initial_value::zero(), stream_for(s));
    }
    /// As `resize(n)`; new elements are `value`.
    void resize(std::size_t n, const T& value, stream_view s = {}) {
        elements_.resize(kind, n, {&value, sizeof(T)}, stream_for(s));
    }
    /// As `resize(n)`; new elements have no value.
    void resize(std::size_t n, uninitialized_t, stream_view s = {}) {
        elements_.resize(kind, n, detail::initial_value::none(), stream_for(s));
    }
    /// Makes room for `n` elements in all. @sync none
    void reserve(std::size_t n, stream_view s = {}) {
        detail::stream_state& on = stream_for(s);
        if (n > capacity()) elements_.reallocate(kind, n, on);
    }
    /// Gives back room that is not used. @sync none
    void shrink_to_fit(stream_view s = {}) {
        detail::stream_state& on = stream_for(s);
        if (size() < capacity()) elements_.reallocate(kind, size(), on);
    }
    /// Removes the elements, keeps the memory.
    void clear() noexcept { elements_.clear(); }
    /// Removes the elements and gives the memory back.
    void reset() noexcept { elements_.reset(); }

    /// Has just the elements of `values` afterwards, which may be part of this container.
    /// Host memory has been read on return. @sync none
    template <class R>
    requires(device_range<R> || host_range<R>) &&
        std::same_as<detail::element_of_t<R>, T> void assign(const R& values, stream_view s = {}) {
        elements_.replace_tail(kind, 0, detail::bytes_of_range(values), stream_for(s));
    }
    /// Has `n` times `value` afterwards. @sync none
    void assign(std::size_t n, const T& value, stream_view s = {}) {
        elements_.assign(kind, n, {&value, sizeof(T)}, stream_for(s));
    }
    /// Adds the elements of `values`, which may be part of this container. Room grows by a factor.
    /// @sync none
    template <class R>
    requires(device_range<R> || host_range<R>) &&
        std::same_as<detail::element_of_t<R>, T> void append(const R& values, stream_view s = {}) {
        elements_.replace_tail(kind, size(), detail::bytes_of_range(values), stream_for(s));
    }

    /// The element at `i`. For looking, not for loops.
    /// @throws invalid_argument when there is none @sync stream
    T get(std::size_t i, stream_view s = {}) const {
        alignas(T) std::byte value[sizeof(T)] = {};
        copy_element(element(i), host_element(value), s, detail::copy_mode::blocking);
        return *std::launder(reinterpret_cast<T*>(value));
    }
    /// Brings the element at `i` to `one`, a range of one element.
    /// @throws invalid_argument when there is none @sync none
    template <detail::output_range Out>
    requires std::same_as<detail::element_of_t<Out>, T>
    void get_async(std::size_t i, Out&& one, stream_view s = {}) const {
        copy_element(element(i), detail::bytes_of_range(one), s, detail::copy_mode::asynchronous);
    }
    /// Makes the element at `i` be `value`.
    /// @throws invalid_argument when there is none @sync stream
    void set(std::size_t i, const T& value, stream_view s = {}) {
        copy_element(host_element(&value), element(i), s, detail::copy_mode::blocking);
    }
    /// As `set`, without waiting; `value` is taken at the call. @sync none
    void set_async(std::size_t i, const T& value, stream_view s = {}) {
        copy_element(host_element(&value), element(i), s, detail::copy_mode::asynchronous);
    }
    /// The elements, on the host, as a `std::vector<T>`. Needs `<devmem/to_host.hpp>`, which
    /// `<devmem/devmem.hpp>` includes. @sync stream
    template <class U = T>
    typename detail::host_vector_of<U>::type to_host(stream_view s = {}) const {
        using values_type = typename detail::host_vector_of<U>::type;
        typename detail::host_vector_of<U>::buffer values(size());
        copy_element(detail::bytes_of_range(*this), detail::bytes_of_range(values), s,
                     detail::copy_mode::blocking);
        if constexpr (std::same_as<decltype(values), values_type>) {
            return values;
        } else {
            return values_type(values.begin(), values.end());
        }
    }

    /// All elements, or some, for copies and algorithms.
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

    /// Device memory: the address, for work of the program's own on `current_stream(device())`.
    /// Memory that the host may touch: waits for work on it, then gives the address.
    T* data() { return raw_use(elements_); }
    const T* data() const { return raw_use(elements_); }

    // Memory that the host may touch, once work on it is over. Each of these waits.
    T* begin() requires host_may_touch { return host_write().data(); }
    T* end() requires host_may_touch { return begin() + size(); }
    const T* begin() const requires host_may_touch { return host_read().data(); }
    const T* end() const requires host_may_touch { return begin() + size(); }
    const T* cbegin() const requires host_may_touch { return begin(); }
    const T* cend() const requires host_may_touch { return end(); }
    /// @pre i < size()
    T& operator[](std::size_t i) requires host_may_touch {
        DEVMEM_ASSERT(i < size());
        return begin()[i];
    }
    const T& operator[](std::size_t i) const requires host_may_touch {
        DEVMEM_ASSERT(i < size());
        return begin()[i];
    }
    /// The elements for the host to read, once work that writes them is over.
    template <class U = T>
    typename detail::host_span_of<const U>::type host_read() const requires host_may_touch {
        detail::wait_for_host_access(of(), name());
        return {address(), size()};
    }
    /// The elements for the host to write, once all work on them is over. Taken anew for each
    /// batch: a span kept from before is a plain pointer.
    template <class U = T>
    typename detail::host_span_of<U>::type host_write() requires host_may_touch {
        detail::wait_for_host_access(elements_.of(), name());
        return {address(), size()};
    }
    /// The address, without a wait: the order is the caller's affair.
    T* unsynchronized_data() noexcept requires host_may_touch { return address(); }
    const T* unsynchronized_data() const noexcept requires host_may_touch { return address(); }

    /// For devmem's own use: owns `block`, which holds `n` elements.
    basic_vector(detail::block& block, std::size_t n) noexcept : elements_(block, n) {}

  private:
    basic_vector(std::size_t n, detail::initial_value value, detail::resolved_placement at)
        : elements_(detail::elements::allocated(kind, n, *at.on)) {
        elements_.resize(kind, n, value, *at.on);
    }
    basic_vector(const detail::byte_range& values, detail::resolved_placement at)
        : elements_(detail::elements::allocated(kind, values.count, *at.on)) {
        elements_.replace_tail(kind, 0, values, *at.on);
    }

    /// The container as its user writes it, for messages.
    static const char* name() {
        static const detail::text<128> written = [] {
            constexpr const char* classes[] = {"device_vector", "pinned_buffer", "mapped_buffer",
                                               "managed_vector"};
            detail::text<128> made;
            made.add("%s<", classes[static_cast<int>(space_of_policy)]);
            detail::add_type_name<T>(made);
            made.add(">");
            return made;
        }();
        return written.c_str();
    }

    static detail::resolved_placement place(placement where) {
        return detail::resolve_placement(where, detail::fixed_kind<typename Policy::backend_type>,
                                         name());
    }
    detail::stream_state& stream_for(stream_view given) const {
        return detail::resolve_stream(given, device(), name());
    }
    T* address() const noexcept { return reinterpret_cast<T*>(elements_.data()); }
    const detail::block* of() const noexcept { return elements_.of(); }

    template <class Elements>
    T* raw_use(Elements& of) const {
        if constexpr (host_may_touch) {
            detail::wait_for_host_access(of.of(), name());
        } else if (of.of() != nullptr) {
            of.of()->note_use(device());
        }
        return address();
    }

    detail::byte_range element(std::size_t i) const {
        detail::check_part(i, 1, size(), name());
        return elements_.part(kind, i, 1);
    }
    static detail::byte_range host_element(const void* value) noexcept {
        auto* bytes = static_cast<std::byte*>(const_cast<void*>(value));
        return {.data = bytes, .count = 1, .bytes = sizeof(T), .pageable = true};
    }
    static void copy_element(const detail::byte_range& src, const detail::byte_range& dst,
                             stream_view s, detail::copy_mode mode) {
        detail::copy_ranges(src, dst, s, mode, name());
    }

    static constexpr detail::element_kind kind{sizeof(T), &basic_vector::name,
                                               &detail::obtain<Policy>};

    detail::elements elements_;
};

}  // namespace devmem::inline v0
