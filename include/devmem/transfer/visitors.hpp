/// \file
/// What looks at every container of an object: for a device that is refused, for one that is
/// elsewhere, for the bytes.
#pragma once

#include <devmem/basic_vector.hpp>
#include <devmem/transfer/parts.hpp>
#include <devmem/transfer/pointees.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

/// What visitors that look at everything once have in common.
struct every_pointee_once {
    pointee_map seen;

    template <class P>
    bool enters(const P& pointer) {
        return seen.insert(pointee::of(*pointer));
    }
};

/// Refuses a device that a container's backend is fixed against.
struct kind_check : every_pointee_once {
    device where;
    const call_site& by;

    kind_check(device d, const call_site& operation) noexcept : where(d), by(operation) {}
    template <class T, class Policy>
    void container(const basic_vector<T, Policy>&) const {
        const device_kind* only = fixed_kind<typename Policy::backend_type>;
        if (only != nullptr && where.kind() != *only) refuse_kind(where, *only, by);
    }
};

/// Whether a container is on another device.
struct search_elsewhere : every_pointee_once {
    device where;
    bool found = false;

    explicit search_elsewhere(device d) noexcept : where(d) {}
    template <class V>
    void container(const V& v) noexcept {
        found = found || v.device() != where;
    }
};

struct byte_count : every_pointee_once {
    std::size_t bytes = 0;

    template <class V>
    void container(const V& v) noexcept {
        bytes += v.size_bytes();
    }
};

}  // namespace devmem::inline v0::detail
