/// \file
/// `typed_elements`: what a container does that needs its element type and policy, but not its
/// interface: where it is called from, which stream that means, and who has to wait.
#pragma once

#include <devmem/container/elements.hpp>
#include <devmem/container/name.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

/// Elements of a type, obtained as the policy says.
template <class T, class Policy>
class typed_elements : public elements {
    static constexpr memory_space space_of_policy = Policy::space_type::space;

  public:
    explicit typed_elements(const placement& where) : elements(resolve(where).where) {}
    typed_elements(detail::block& of, std::size_t n) noexcept : elements(of, n) {}
    typed_elements(std::size_t n, initial_value value, const resolved_placement& where)
        : elements(kind, n, *where.on, by(where.at)) {
        begin_with(kind, n, value, *where.on, by(where.at));
    }
    typed_elements(const byte_range& values, const resolved_placement& where)
        : elements(kind, values.count, *where.on, by(where.at)) {
        elements::replace_tail(kind, 0, values, *where.on, by(where.at));
    }

    static call_site by(place at) { return {container_name<T, space_of_policy>.text, at}; }
    static resolved_placement resolve(const placement& where) {
        return resolve_placement(where, fixed_kind<typename Policy::backend_type>, by(where.at()));
    }
    stream_state& stream_for(stream_view given, place at) const {
        return resolve_stream(given, where(), by(at));
    }
    T* address() const noexcept { return reinterpret_cast<T*>(data()); }

    void resize(std::size_t n, initial_value value, stream_view s, place at) {
        elements::resize(kind, n, value, stream_for(s, at), by(at));
    }
    void reserve(std::size_t n, stream_view s, place at) {
        stream_state& on = stream_for(s, at);
        if (n > capacity()) reallocate(kind, n, on, by(at));
    }
    void shrink_to_fit(stream_view s, place at) {
        stream_state& on = stream_for(s, at);
        if (size() < capacity()) reallocate(kind, size(), on, by(at));
    }
    void assign(std::size_t n, initial_value value, stream_view s, place at) {
        elements::assign(kind, n, value, stream_for(s, at), by(at));
    }
    void replace_tail(std::size_t keep, const byte_range& values, stream_view s, place at) {
        elements::replace_tail(kind, keep, values, stream_for(s, at), by(at));
    }

    void wait_on_host(access_mode mode, place at) const {
        const block* const b = of();
        if (b == nullptr) return;
        // Spared the rest, since loops may come here for each element.
        if (space_of_policy != memory_space::managed && !b->ledger.has_uses()) return;
        wait_for_host_access(*b, mode, by(at));
    }
    /// The address is about to be given out.
    void use_raw(access_mode mode, place at) const {
        if constexpr (space_of_policy != memory_space::device) {
            wait_on_host(mode, at);
        } else if (of() != nullptr) {
            of()->ledger.open_raw(current_stream_state(where(), by(at)), mode, by(at));
        }
    }

    byte_range element(std::size_t i, place at) const {
        check_part(i, 1, size(), by(at));
        return part(kind, i, 1);
    }
    static byte_range host_element(const void* value) noexcept {
        auto* bytes = static_cast<std::byte*>(const_cast<void*>(value));
        return {.data = bytes, .count = 1, .bytes = sizeof(T), .pageable = true};
    }
    static void copy(const byte_range& src, const byte_range& dst, stream_view s, copy_mode mode,
                     place at) {
        copy_ranges(src, dst, s, mode, by(at));
    }

  private:
    static constexpr element_kind kind{sizeof(T), &obtain<Policy>};
};

}  // namespace devmem::inline v0::detail
