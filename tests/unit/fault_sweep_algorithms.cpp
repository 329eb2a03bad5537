// Each backend call of each algorithm fails in turn: what has not been queued has changed nothing,
// and whatever was asked of devmem before can be asked of it again.
#include "swept_vectors.hpp"

#include <devmem/all_finite.hpp>
#include <devmem/count_if.hpp>
#include <devmem/device.hpp>
#include <devmem/equal.hpp>
#include <devmem/fill.hpp>
#include <devmem/for_each.hpp>
#include <devmem/functional.hpp>
#include <devmem/inner_product.hpp>
#include <devmem/iota.hpp>
#include <devmem/min_max_element.hpp>
#include <devmem/permute.hpp>
#include <devmem/reduce.hpp>
#include <devmem/scan.hpp>
#include <devmem/select.hpp>
#include <devmem/sort.hpp>
#include <devmem/stream.hpp>
#include <devmem/transform.hpp>
#include <devmem/transform_reduce.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

using namespace devmem_test;

namespace {

using devmem::stream_view;
using vector = test_vector<int>;

constexpr std::size_t size = 100;
const auto is_even = [](int x) { return x % 2 == 0; };
const auto twice = [](int x) { return 2 * x; };

/// size, size - 1, … 1: neither sorted nor the same twice.
std::vector<int> falling() {
    std::vector<int> values = counted<int>(size, 1);
    return {values.rbegin(), values.rend()};
}
vector make_falling() { return vector_of<vector>(falling(), 0); }

/// Sweeps `act(v, stream)` on the current stream, and on one that must wait for what is in `v`.
template <class Vector>
using work = std::function<void(Vector&, stream_view)>;
template <class Vector, class Sweep>
void on_both_streams(const std::string& name, const work<Vector>& act, const Sweep& sweep) {
    sweep(name, [&act](Vector& v) { act(v, {}); });
    sweep(name + " on a stream of its own", [&act](Vector& v) {
        const devmem::stream s(test_device(1));
        act(v, s);
    });
}

/// Queues work, and does not wait.
template <class Vector = vector>
void sweep_queued(const std::string& name, const std::function<Vector()>& make,
                  const work<Vector>& act) {
    on_both_streams<Vector>(name, act, [&make](const std::string& full, const auto& change) {
        sweep_change<Vector>(full, make, change);
    });
}

/// Queues work that changes a container, and waits for it.
void sweep_waiting(const std::string& name, const work<vector>& act) {
    on_both_streams<vector>(name, act, [](const std::string& full, const auto& change) {
        sweep_waited_change<vector>(full, make_falling, change);
    });
}

/// Queues work that gives one value, for an element.
template <class T>
void sweep_result(const std::string& name, T before, const work<test_vector<T>>& act) {
    sweep_queued<test_vector<T>>(
        name, [before] { return vector_of<test_vector<T>>(std::vector<T>(1, before), 0); }, act);
}

}  // namespace

TEST_CASE("what writes elements") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const vector in = make_falling();
    const vector indices = vector_of<vector>(counted<int>(size), 0);
    settle();
    const auto sweep = [](const std::string& name, const work<vector>& act) {
        sweep_queued<vector>(name, make_falling, act);
    };
    sweep("fill", [](vector& v, stream_view s) { devmem::fill(v, 7, s); });
    sweep("iota", [](vector& v, stream_view s) { devmem::iota(v, 7, s); });
    sweep("transform", [](vector& v, stream_view s) { devmem::transform(v, v, twice, s); });
    sweep("transform of two",
          [&](vector& v, stream_view s) { devmem::transform(in, v, v, devmem::plus{}, s); });
    sweep("transform of three", [&](vector& v, stream_view s) {
        const auto f = [](int a, int b, int c) { return a + b * c; };
        devmem::transform(in, indices, v, v, f, s);
    });
    sweep("for_each", [](vector& v, stream_view s) {
        devmem::for_each(
            v, [](int& x) { x = -x; }, s);
    });
    sweep("inclusive_scan", [](vector& v, stream_view s) { devmem::inclusive_scan(v, v, s); });
    sweep("exclusive_scan", [&](vector& v, stream_view s) { devmem::exclusive_scan(in, v, 3, s); });
    sweep("gather_elements",
          [&](vector& v, stream_view s) { devmem::gather_elements(in, indices, v, s); });
    sweep("scatter_elements",
          [&](vector& v, stream_view s) { devmem::scatter_elements(in, indices, v, s); });
}

TEST_CASE("what works on whatever the indices name") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    sweep_faults("for_each_index", [] {
        const devmem::stream s(test_device(1));
        test_pinned<int> v(size, s);
        int* const at = v.data();
        devmem::for_each_index(
            size, [at](std::size_t i) { at[i] = 3; }, s);
        s.synchronize();
        expect(v[size - 1], 3);
    });
}

TEST_CASE("what orders and selects elements") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const vector in = make_falling();
    settle();
    const auto sweep = [](const std::string& name, const work<vector>& act) {
        sweep_queued<vector>(name, make_falling, act);
    };
    sweep("sort", [](vector& v, stream_view s) { devmem::sort(v, s); });
    sweep("sort_by_key", [](vector& v, stream_view s) {
        devmem::sort_by_key(v.first(size / 2), v.last(size / 2), s);
    });
    // The count is in the same container, so that neither it nor the elements may be written alone.
    sweep("copy_if_async", [&](vector& v, stream_view s) {
        devmem::copy_if_async(in.first(size - 1), v.first(size - 1), v.last(1), is_even, s);
    });
    sweep("unique_async", [](vector& v, stream_view s) {
        const auto same_tens = [](int a, int b) { return a / 10 == b / 10; };
        devmem::unique_async(v.first(size - 1), v.last(1), same_tens, s);
    });
    sweep_waiting("copy_if", [&](vector& v, stream_view s) {
        expect(devmem::copy_if(in, v, is_even, s), size / 2);
    });
    sweep_waiting("unique", [](vector& v, stream_view s) {
        const auto same_tens = [](int a, int b) { return a / 10 == b / 10; };
        expect(devmem::unique(v, same_tens, s), size / 10 + 1);
    });
}

TEST_CASE("what waits for one value") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const vector in = make_falling();
    settle();
    const auto sweep = [](const std::string& name, const work<vector>& act) {
        sweep_queued<vector>(name, make_falling, act);
    };
    sweep("reduce", [](vector& v, stream_view s) { expect(devmem::reduce(v, s), 5050); });
    sweep("reduce from a value, by an operation",
          [](vector& v, stream_view s) { expect(devmem::reduce(v, 5, devmem::plus{}, s), 5055); });
    sweep("transform_reduce", [](vector& v, stream_view s) {
        expect(devmem::transform_reduce(v, 0, devmem::plus{}, twice, s), 10'100);
    });
    sweep("inner_product",
          [&](vector& v, stream_view s) { expect(devmem::inner_product(in, v, 0, s), 338'350); });
    sweep("min_max_element", [](vector& v, stream_view s) {
        expect(devmem::min_max_element(v, s), devmem::min_max_positions{size - 1, 0});
    });
    sweep("count_if",
          [](vector& v, stream_view s) { expect(devmem::count_if(v, is_even, s), size / 2); });
    sweep("equal", [&](vector& v, stream_view s) { expect(devmem::equal(in, v, s), true); });
    using floats = test_vector<float>;
    sweep_queued<floats>(
        "all_finite", [] { return vector_of<floats>(counted<float>(size), 0); },
        [](floats& v, stream_view s) { expect(devmem::all_finite(v, s), true); });
}

TEST_CASE("what writes one value to an element") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const vector in = make_falling();
    settle();
    using positions = devmem::min_max_positions;
    sweep_result<int>("reduce_async", -1,
                      [&](vector& to, stream_view s) { devmem::reduce_async(in, to, s); });
    sweep_result<long>("transform_reduce_async", -1, [&](auto& to, stream_view s) {
        devmem::transform_reduce_async(in, to, 0, devmem::plus{}, twice, s);
    });
    sweep_result<double>("inner_product_async", -1, [&](auto& to, stream_view s) {
        devmem::inner_product_async(in, in, to, 0.5, s);
    });
    sweep_result<positions>("min_max_element_async", {7, 7}, [&](auto& to, stream_view s) {
        devmem::min_max_element_async(in, to, s);
    });
    sweep_result<std::size_t>("count_if_async", 7, [&](auto& to, stream_view s) {
        devmem::count_if_async(in, to, is_even, s);
    });
}

TEST_CASE("what writes an answer to an element") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const vector in = make_falling();
    const test_vector<float> floats(size, 1.0f, test_device(1));
    settle();
    // Of bool a `std::vector` keeps bits, so that these are asked one by one.
    sweep_faults("equal_async", [&] {
        const devmem::stream s(test_device(1));
        test_vector<bool> answer(1, false, s);
        devmem::equal_async(in, in, answer, s);
        expect(answer.get(0), true);
    });
    sweep_faults("all_finite_async", [&] {
        const devmem::stream s(test_device(1));
        test_vector<bool> answer(1, false, s);
        devmem::all_finite_async(floats, answer, s);
        expect(answer.get(0), true);
    });
}
