/// \file
/// How algorithms see their ranges.
#pragma once

#include <devmem/container/range.hpp>
#include <devmem/memory/reclaim.hpp>
#include <devmem/stream/resolve.hpp>

#include <cstddef>
#include <utility>

namespace devmem::inline v0::detail {

/// Elements of a range, for a loop.
template <class T>
struct operand {
    T* data;
    std::size_t size;
};

/// A range that an algorithm uses on a stream, until its work has been queued.
template <class T>
class [[nodiscard]] used_range {
  public:
    /// @throws wrong_device when the range is of another device, access_conflict
    used_range(stream_state& s, device_view<T> v, access_mode mode, const call_site& operation)
        : elements_{v.address(), v.size()},
          access_(require_on(s, v, operation), s, mode, operation) {}

    operand<T> elements() const noexcept { return elements_; }

  private:
    static const block* require_on(stream_state& s, device_view<T> v, const call_site& operation) {
        if (v.empty() || v.device() == s.where) [[likely]] {
            return v.empty() ? nullptr : v.block();
        }
        text<160> message;
        message.add("a range is on %s:%d, the stream on %s:%d; all must be on one device",
                    kind_name(v.device().kind()), v.device().index(), kind_name(s.where.kind()),
                    s.where.index());
        throw_failure(
            {.code = error_code::wrong_device, .operation = operation, .where = v.device()},
            message.c_str());
    }

    operand<T> elements_;
    scoped_access access_;
};

template <class R>
using element_in = typename decltype(std::declval<R&>().view())::element_type;

/// The elements of `range`, to be read on `s`.
template <class R>
auto reading(stream_state& s, const R& range, const call_site& operation) {
    using element = const std::remove_const_t<element_in<const R>>;
    return used_range<element>(s, range.view(), access_mode::read, operation);
}

/// The elements of `range`, to be written on `s`; perhaps read as well.
template <class R>
auto writing(stream_state& s, R& range, const call_site& operation) {
    return used_range<element_in<R>>(s, range.view(), access_mode::write, operation);
}

inline void require_same_size(std::size_t a, std::size_t b, const call_site& operation) {
    if (a == b) [[likely]] {
        return;
    }
    text<96> message;
    message.add("ranges of %zu and %zu elements; sizes must be equal", a, b);
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, message.c_str());
}

/// Where a result goes, in a range of one element. @throws invalid_argument when it has not one
template <class T>
T* only_element(const used_range<T>& out, const call_site& operation) {
    require_same_size(out.elements().size, 1, operation);
    return out.elements().data;
}

/// An output may be an input itself, or apart from it; not shifted against it.
template <class In, class Out>
void require_same_or_apart(operand<In> in, operand<Out> out, const call_site& operation) {
    const auto* in_begin = reinterpret_cast<const std::byte*>(in.data);
    const auto* out_begin = reinterpret_cast<const std::byte*>(out.data);
    const bool same = in_begin == out_begin && sizeof(In) == sizeof(Out);
    const bool apart = in_begin + in.size * sizeof(In) <= out_begin ||
                       out_begin + out.size * sizeof(Out) <= in_begin;
    if (same || apart) [[likely]] {
        return;
    }
    throw_failure({.code = error_code::invalid_argument, .operation = operation},
                  "the output overlaps an input without being the same range; copy one of them");
}

}  // namespace devmem::inline v0::detail
