// Each backend call of each operation fails in turn: what throws has changed nothing and leaked
// nothing, and whatever was asked of devmem before can be asked of it again.
#include "swept_vectors.hpp"

#include <devmem/adopt.hpp>
#include <devmem/copy.hpp>
#include <devmem/copy_2d.hpp>
#include <devmem/device.hpp>
#include <devmem/device_slices.hpp>
#include <devmem/event.hpp>
#include <devmem/fill.hpp>
#include <devmem/host_task.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/pool.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/select_device.hpp>
#include <devmem/stream.hpp>
#include <devmem/stream_guard.hpp>
#include <devmem/timed_event.hpp>
#include <devmem/to.hpp>
#include <devmem/to_host.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

using namespace devmem_test;

namespace {

struct wide {
    std::int64_t a;
    std::int64_t b;
    std::int32_t c;
    friend bool operator==(const wide&, const wide&) = default;
};

/// A constructor: it leaves a container of those values, or nothing.
template <class F, class Values>
void sweep_construction(const std::string& name, const F& construct, const Values& wanted) {
    using made = std::optional<decltype(construct())>;
    const int thrown =
        fault_sweep<made>({name, [] { return made(); }, [&](made& m) { m.emplace(construct()); },
                           [&](made& m) { CHECK(contents(*m) == wanted); },
                           [](made& m) { CHECK_FALSE(m.has_value()); }})
            .run();
    INFO("operation: " << name);
    CHECK(thrown > 0);
}

/// Memory on another device, on this one, and of another kind where there is one.
struct sources {
    std::vector<int> host = counted<int>(300, 1000);
    test_vector<int> other{counted<int>(300, 5000), test_device(2)};
    test_vector<int> same{counted<int>(300, 7000), test_device(1)};
    devmem::device_vector<int> on_cpu{counted<int>(300, 9000), devmem::device::cpu(1)};
    sources() { settle(); }
};

template <class Vector>
void sweep_constructors() {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const sources from;
    const auto values = [](int first) { return counted<int>(300, first); };
    sweep_construction(
        "zeros", [] { return Vector(100, test_device(1)); }, std::vector<int>(100, 0));
    sweep_construction(
        "of a value", [] { return Vector(100, 7, test_device(1)); }, std::vector<int>(100, 7));
    sweep_construction(
        "from the host", [&] { return Vector(from.host, test_device(1)); }, values(1000));
    sweep_construction(
        "from another device", [&] { return Vector(from.other, test_device(1)); }, values(5000));
    sweep_construction(
        "from the CPU", [&] { return Vector(from.on_cpu, test_device(1)); }, values(9000));
    sweep_construction(
        "a copy", [&] { return Vector(from.same, test_device(1)); }, values(7000));
}

template <class Vector>
void sweep_members() {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const sources from;
    // With room for the change, and without.
    for (const std::size_t room : {std::size_t{0}, std::size_t{1000}}) {
        CAPTURE(room);
        const auto sweep = [room](const std::string& name,
                                  const std::function<void(Vector&)>& change) {
            sweep_change<Vector>(
                name, [room] { return vector_of<Vector>(counted<int>(100), room); }, change);
        };
        sweep("resize", [](Vector& v) { v.resize(200); });
        sweep("resize to a value", [](Vector& v) { v.resize(200, 7); });
        sweep("resize uninitialized", [](Vector& v) { v.resize(200, devmem::uninitialized); });
        sweep("assign a value", [](Vector& v) { v.assign(200, 7); });
        sweep("assign from the host", [&](Vector& v) { v.assign(from.host); });
        sweep("assign from another device", [&](Vector& v) { v.assign(from.other); });
        sweep("assign a part of itself", [](Vector& v) { v.assign(v.subspan(10, 50)); });
        sweep("append from the host", [&](Vector& v) { v.append(from.host); });
        sweep("append from another device", [&](Vector& v) { v.append(from.other); });
        sweep("append itself", [](Vector& v) { v.append(v); });
        sweep("copy assignment", [&](Vector& v) {
            const Vector same(counted<int>(150), test_device(1));
            v = same;
        });
    }
    const auto make = [] { return vector_of<Vector>(counted<int>(100), 0); };
    const auto make_roomy = [] { return vector_of<Vector>(counted<int>(100), 1000); };
    sweep_change<Vector>("reserve", make, [](Vector& v) { v.reserve(5000); });
    sweep_change<Vector>("shrink_to_fit", make_roomy, [](Vector& v) { v.shrink_to_fit(); });
    sweep_change<Vector>("copy_async between overlapping parts", make,
                         [](Vector& v) { devmem::copy_async(v.first(80), v.last(80)); });
    sweep_change<Vector>("copy_async from the host", make, [&](Vector& v) {
        devmem::copy_async(std::span(from.host).first(100), v);
    });
    sweep_change<Vector>("copy_async from another device", make,
                         [&](Vector& v) { devmem::copy_async(from.other.first(100), v); });
    constexpr devmem::shape_2d rows{.rows = 8, .columns = 5, .src_pitch = 10, .dst_pitch = 10};
    sweep_change<Vector>("copy_2d_async between overlapping rows", make,
                         [&](Vector& v) { devmem::copy_2d_async(v.first(80), v.last(80), rows); });
    sweep_change<Vector>("copy_2d_async from the host", make, [&](Vector& v) {
        devmem::copy_2d_async(std::span(from.host).first(100), v, rows);
    });
    sweep_change<Vector>("copy_2d_async from another device", make,
                         [&](Vector& v) { devmem::copy_2d_async(from.other.first(100), v, rows); });
    sweep_change<Vector>("set_async", make, [](Vector& v) { v.set_async(3, -1); });
    sweep_change<Vector>("fill", make, [](Vector& v) { devmem::fill(v, -1); });
}

}  // namespace

TEST_CASE("constructors of device memory") { sweep_constructors<test_vector<int>>(); }
TEST_CASE("constructors of direct device memory") {
    sweep_constructors<test_vector<int, devmem::direct>>();
}
TEST_CASE("constructors of stream-ordered device memory") {
    sweep_constructors<test_vector<int, devmem::stream_ordered>>();
}
TEST_CASE("constructors of pinned memory") { sweep_constructors<test_pinned<int>>(); }
TEST_CASE("constructors of mapped memory") { sweep_constructors<test_mapped<int>>(); }
TEST_CASE("constructors of managed memory") { sweep_constructors<test_managed<int>>(); }

TEST_CASE("members with device memory") { sweep_members<test_vector<int>>(); }
TEST_CASE("members with direct device memory") {
    sweep_members<test_vector<int, devmem::direct>>();
}
TEST_CASE("members with stream-ordered device memory") {
    sweep_members<test_vector<int, devmem::stream_ordered>>();
}
TEST_CASE("members with pinned memory") { sweep_members<test_pinned<int>>(); }
TEST_CASE("members with managed memory") { sweep_members<test_managed<int>>(); }

TEST_CASE("elements that take several calls to fill are all changed or none") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const wide value{4, 5, 6};
    sweep_construction(
        "doubles", [] { return test_vector<double>(100, 0.1, test_device(1)); },
        std::vector<double>(100, 0.1));
    sweep_construction(
        "wide values", [&] { return test_vector<wide>(100, value, test_device(1)); },
        std::vector<wide>(100, value));
    for (const std::size_t room : {std::size_t{0}, std::size_t{1000}}) {
        CAPTURE(room);
        using doubles = test_vector<double>;
        const auto make = [room] { return vector_of<doubles>(counted<double>(100), room); };
        sweep_change<doubles>("assign", make, [](doubles& v) { v.assign(200, 0.1); });
        sweep_change<doubles>("assign fewer", make, [](doubles& v) { v.assign(20, 0.1); });
        sweep_change<doubles>("resize", make, [](doubles& v) { v.resize(200, 0.1); });
        using wides = test_vector<wide>;
        const auto make_wide = [room] {
            return vector_of<wides>(std::vector<wide>(100, {1, 2, 3}), room);
        };
        sweep_change<wides>("assign", make_wide, [&](wides& v) { v.assign(200, value); });
        sweep_change<wides>("assign fewer", make_wide, [&](wides& v) { v.assign(20, value); });
        sweep_change<wides>("resize", make_wide, [&](wides& v) { v.resize(200, value); });
    }
}

TEST_CASE("what only reads changes nothing") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    using vector = test_vector<int>;
    const auto make = [] { return vector_of<vector>(counted<int>(100), 0); };
    sweep_change<vector>("to_host", make,
                         [](vector& v) { expect(v.to_host(), counted<int>(100)); });
    sweep_change<vector>("get", make, [](vector& v) { expect(v.get(7), 7); });
    sweep_change<vector>("get_async", make, [](vector& v) {
        test_pinned<int> one(1, test_device(1));
        v.get_async(7, one);
        devmem::synchronize(test_device(1));
        expect(one[0], 7);
    });
    sweep_change<vector>("copy to the host", make, [](vector& v) {
        std::vector<int> host(100);
        devmem::copy(v, host);
        CHECK(host == counted<int>(100));
    });
    sweep_change<vector>("copy to pinned memory", make, [](vector& v) {
        test_pinned<int> to(100, test_device(1));
        devmem::copy(v, to);
        expect(to.host_read()[99], 99);
    });
    sweep_change<vector>("copy to another device", make, [](vector& v) {
        const devmem::stream s(test_device(1));
        test_vector<int> to(100, test_device(3));
        devmem::synchronize(test_device(3));
        devmem::copy(v, to, s);
        expect(to.get(99), 99);
    });
    sweep_change<vector>("copy_2d to the host", make, [](vector& v) {
        std::vector<int> host(100);
        devmem::copy_2d(v, host, {.rows = 10, .columns = 7, .src_pitch = 10, .dst_pitch = 10});
        expect(host[96], 96);
    });
    sweep_change<vector>("to another device", make, [](vector& v) {
        expect(devmem::to(test_device(3), std::as_const(v)).get(99), 99);
    });
    sweep_change<vector>("copy to the CPU", make, [](vector& v) {
        devmem::device_vector<int> to(100, devmem::device::cpu(1));
        devmem::copy(v, to);
        expect(to.get(99), 99);
    });
}

TEST_CASE("what waits for its result leaves the size and the memory") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    using vector = test_vector<int>;
    const sources from;
    const auto sweep = [](const std::string& name, const std::function<void(vector&)>& change) {
        sweep_waited_change<vector>(
            name, [] { return vector_of<vector>(counted<int>(100), 0); }, change);
    };
    sweep("set", [](vector& v) { v.set(3, -1); });
    sweep("copy from the host",
          [&](vector& v) { devmem::copy(std::span(from.host).first(100), v); });
    sweep("copy from another device", [&](vector& v) { devmem::copy(from.other.first(100), v); });
    sweep("copy from the CPU", [&](vector& v) { devmem::copy(from.on_cpu.first(100), v); });
}

TEST_CASE("where streams meet at a block") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    using vector = test_vector<int>;
    using devmem::stream;
    const auto make = [] { return vector_of<vector>(counted<int>(100), 0); };
    const stream a(test_device(1));
    sweep_change<vector>("a write after a read elsewhere", make, [&](vector& v) {
        const stream b(test_device(1));
        test_vector<int> copy(100, a);
        devmem::copy_async(v, copy, a);
        devmem::fill(v, 7, b);
    });
    sweep_change<vector>("an access after one elsewhere", make, [&](vector& v) {
        { const auto open = v.read(a); }
        const stream b(test_device(1), devmem::precise);
        const auto open = v.write(b);
        expect(open.span().size(), std::size_t{100});
    });
    sweep_change<vector>("a copy that is looked at later", make, [&](vector& v) {
        const auto copy = v.to_host_async(a);
        expect(copy[99], 99);
    });
    sweep_faults("slices on two streams", [&] {
        vector v(100, 5, a);
        const stream b(test_device(1));
        {
            const auto halves = v.split(2);
            devmem::fill(halves[0], 6, a);
            devmem::fill(halves[1], 7, b);
        }
        expect(v.get(0, a), 6);
        expect(v.get(99, a), 7);
    });
    sweep_faults("manual order", [&] {
        vector v(100, 5, a);
        v.set_ordering(devmem::ordering::manual);
        const stream b(test_device(1));
        b.wait(devmem::event(a));
        devmem::fill(v, 6, b);
        b.synchronize();
        expect(v.get(99, a), 6);
    });
    sweep_faults("an address given out", [&] {
        vector v(100, 5, test_device(1));
        expect(v.data() != nullptr, true);
        devmem::fill(v, 6, a);
        expect(v.get(99, a), 6);
    });
    sweep_faults("streams that go before their work", [] {
        vector v(test_device(1));
        {
            const stream s(test_device(1));
            v.resize(100, 6, s);
            const vector gone(100, 5, s);
        }
        expect(v.get(99), 6);
    });
}

TEST_CASE("memory that the host touches") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    sweep_faults("pinned", [] {
        test_pinned<int> v(100, 3, test_device(1));
        v[9] = 6;
        devmem::fill(v, 5);
        expect(*v.begin(), 5);
        expect(v.host_read()[9], 5);
    });
    sweep_faults("mapped", [] {
        test_mapped<int> v(100, 3, test_device(1));
        v.host_write()[9] = 6;
        devmem::fill(v, 5);
        expect(v[9], 5);
    });
    sweep_faults("managed", [] {
        test_managed<int> v(100, 3, test_device(1));
        v.host_write()[9] = 6;
        devmem::fill(v, 5);
        expect(v[9], 5);
    });
}

TEST_CASE("streams, events and guards") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    sweep_faults("a stream", [] {
        const devmem::stream s(test_device(1));
        test_vector<int> v(100, 1, s);
        devmem::fill(v, 2, s);
        static_cast<void>(s.query());
        s.synchronize();
        expect(s.query(), true);
    });
    sweep_faults("streams that wait for each other", [] {
        const devmem::stream a(test_device(1));
        const devmem::stream b(test_device(2));
        devmem::event e(a);
        b.wait(e);
        e.record(b);
        static_cast<void>(e.query());
        e.synchronize();
        expect(e.query(), true);
        a.wait(e);
        a.synchronize();
    });
    sweep_faults("timed events", [] {
        const devmem::stream s(test_device(1));
        const devmem::timed_event begin(s);
        devmem::timed_event end(s);
        end.record(s);
        end.synchronize();
        expect((end - begin).count() >= 0, true);
    });
    sweep_faults("a guard", [] {
        const devmem::stream s(test_device(1));
        const devmem::stream_guard guard(s);
        expect(devmem::current_device(), test_device(1));
        const test_vector<int> v(100, 1, devmem::current_stream());
        CHECK(v.device() == test_device(1));
        devmem::current_stream().synchronize();
    });
    sweep_faults("scopes", [] {
        const devmem::scoped_device outer(test_device(3));
        const int value = devmem::on_device(test_device(1), [] {
            const test_vector<int> v{1, 2, 3};
            return v.get(1);
        });
        CHECK(value == 2);
        expect(devmem::current_device(), test_device(3));
    });
#if defined(DEVMEM_CUDA)
    const devmem::stream owner(test_device(1));
    sweep_faults("a borrowed stream", [&owner] {
        const auto s = devmem::borrow_stream(owner.native_handle(), test_device(1));
        const test_vector<int> v(100, 3, s);
        s.synchronize();
        expect(v.get(99, s), 3);
    });
#endif
    sweep_faults("a moved stream", [] {
        devmem::stream s(test_device(1));
        s = devmem::stream(test_device(2));
        s.synchronize();
    });
}

TEST_CASE("host tasks run, or are dropped") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    struct task {
        std::shared_ptr<int> ran = std::make_shared<int>(0);
    };
    const auto drops_its_own = [](task& t) {
        devmem::synchronize(test_device(1));
        CHECK(t.ran.use_count() == 1);
    };
    const int thrown = fault_sweep<task>({"host_task", [] { return task(); },
                                          [](task& t) {
                                              const devmem::stream s(test_device(1));
                                              devmem::host_task([ran = t.ran] { ++*ran; }, s);
                                          },
                                          [&](task& t) {
                                              drops_its_own(t);
                                              CHECK(*t.ran == 1);
                                          },
                                          [&](task& t) {
                                              drops_its_own(t);
                                              CHECK(*t.ran == 0);
                                          }})
                           .run();
    CHECK(thrown > 0);
}

TEST_CASE("devices and figures") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    sweep_faults("memory_info", [] {
        const test_vector<int> v(100, test_device(1));
        expect(devmem::memory_info(test_device(1)).live >= 400, true);
    });
    sweep_faults("properties",
                 [] { expect(devmem::properties(test_device(1)).name.empty(), false); });
    sweep_faults("synchronize", [] { devmem::synchronize(test_device(1)); });
    sweep_faults("the device with most memory",
                 [] { static_cast<void>(devmem::select_device(devmem::most_free_memory)); });
    sweep_faults(
        "empty_cache",
        [] {
            { const test_vector<int> v(100, test_device(1)); }
            { const test_pinned<int> v(100, test_device(1)); }
            devmem::empty_cache(test_device(1));
        },
        true);
    sweep_faults("more memory when some is only kept", [] {
        { const test_vector<int> v(100, test_device(1)); }
        const test_vector<int> v(5000, 3, test_device(1));
        expect(v.get(4999), 3);
    });
}

TEST_CASE("adopted memory is let go once, or stays the caller's") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    struct state {
        test_vector<int> owner{counted<int>(100), test_device(1)};
        int let_go = 0;
        bool is_adopted = false;
    };
    const auto check_owner = [](state& s) {
        devmem::empty_cache();  // what could not be waited for is let go later
        CHECK(s.let_go == (s.is_adopted ? 1 : 0));
        CHECK(contents(s.owner).size() == 100);
    };
    fault_sweep<state>({"adopt", [] { return state(); },
                        [](state& s) {
                            const auto v = devmem::adopt(s.owner.data(), 100, test_device(1),
                                                         [&s](int*) { ++s.let_go; });
                            s.is_adopted = true;
                            expect(v.get(99), 99);
                        },
                        check_owner, check_owner})
        .run();
}
