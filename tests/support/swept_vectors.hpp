/// \file
/// Containers under fault sweeps: what they were like, and how changes of them are swept.
#pragma once

#include "fault_sweep.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace devmem_test {

/// Compares values that are there: `CHECK` would keep what an expression of its own throws.
template <class T>
void expect(const T& got, const T& wanted) {
    CHECK(got == wanted);
}

/// A container, and what it was like when it was made.
template <class Vector>
struct subject {
    using values_type = decltype(contents(std::declval<Vector&>()));

    Vector v;
    std::size_t capacity = 0;
    const void* address = nullptr;
    values_type values;

    explicit subject(Vector made) : v(std::move(made)) {
        capacity = v.capacity();
        address = v.view().address();
        values = contents(v);
    }

    void check_same_memory() {
        CHECK(v.capacity() == capacity);
        CHECK(v.view().address() == address);
        REQUIRE(v.size() == values.size());
    }
    void check_unchanged() {
        check_same_memory();
        CHECK(contents(v) == values);
    }
};

/// Sweeps what changes a container; `check_thrown(subject, wanted)` looks at it after a failure.
template <class Vector, class Check>
void sweep_change_and_check(const std::string& name, const std::function<Vector()>& make,
                            const std::function<void(Vector&)>& change, const Check& check_thrown) {
    using state = subject<Vector>;
    typename state::values_type wanted;
    {
        Vector v = make();
        settle();
        change(v);
        settle();
        wanted = contents(v);
    }
    const int thrown =
        fault_sweep<state>({name, [&] { return state(make()); }, [&](state& s) { change(s.v); },
                            [&](state& s) { CHECK(contents(s.v) == wanted); },
                            [&](state& s) { check_thrown(s, wanted); }})
            .run();
    INFO("operation: " << name);
    CHECK(thrown > 0);
}

/// What changes a container does what it does when nothing fails, or nothing.
template <class Vector>
void sweep_change(const std::string& name, const std::function<Vector()>& make,
                  const std::function<void(Vector&)>& change) {
    sweep_change_and_check<Vector>(name, make, change,
                                   [](auto& s, const auto&) { s.check_unchanged(); });
}

/// What waits for its result leaves the size and the memory. Once the work is queued the values may
/// have changed, though the wait has failed.
template <class Vector>
void sweep_waited_change(const std::string& name, const std::function<Vector()>& make,
                         const std::function<void(Vector&)>& change) {
    sweep_change_and_check<Vector>(name, make, change, [](auto& s, const auto& wanted) {
        s.check_same_memory();
        const auto now = contents(s.v);
        CHECK((now == s.values || now == wanted));
    });
}

/// A container of those values on the device that is swept, with room for more.
template <class Vector, class T = typename Vector::value_type>
Vector vector_of(const std::vector<T>& values, std::size_t room) {
    Vector v(values, test_device(1));
    v.reserve(room);
    return v;
}

}  // namespace devmem_test
