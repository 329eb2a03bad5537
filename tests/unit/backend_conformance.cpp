// The seam: what every backend must do, asked through its table of functions only.
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/backend.hpp>
#include <devmem/backend/dynamic.hpp>
#include <devmem/backend/tables.hpp>
#include <devmem/device.hpp>
#include <devmem/settings.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

using devmem::backend_table;
using devmem::device;
using devmem::device_kind;
using devmem::error_code;
using devmem::host_function;
using devmem::memory_space;
using devmem::status;
using devmem::detail::make_host_function;
using devmem_test::gate;
using devmem_test::path_is_cuda;
using devmem_test::test_device;

static_assert(devmem::backend<devmem_test::test_backend>);
static_assert(!devmem::backend<int> && !devmem::backend<backend_table>);

namespace {

constexpr memory_space spaces[] = {memory_space::device, memory_space::pinned, memory_space::mapped,
                                   memory_space::managed};

/// Below the settings nobody reads them; above, everybody has.
const backend_table& table() {
    devmem::detail::ensure_settings();
    static constexpr backend_table made = devmem::detail::make_table<devmem_test::test_backend>();
    return made;
}

const device d0 = test_device(0);
const device d1 = test_device(1);

void must(status s) {
    CAPTURE(table().native_name(s.native));
    REQUIRE(s.code == error_code::none);
}

/// Memory, a stream, an event: given back at the end of the scope.
struct memory {
    memory(device d, memory_space s, std::size_t n) : where(d), space(s), bytes(n) {
        must(table().allocate(d, s, n, &data));
    }
    ~memory() { CHECK(table().deallocate(where, space, data, bytes).ok()); }
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;
    std::byte* at(std::size_t offset) const { return static_cast<std::byte*>(data) + offset; }

    device where;
    memory_space space;
    std::size_t bytes;
    void* data = nullptr;
};
struct stream {
    explicit stream(device d) : where(d) { must(table().stream_create(d, &handle)); }
    ~stream() { CHECK(table().stream_destroy(where, handle).ok()); }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    void synchronize() const { must(table().stream_synchronize(where, handle)); }
    template <class F>
    void run(F f) const {
        must(table().host_call(where, handle, make_host_function(f)));
    }
    bool is_done() const {
        bool done = false;
        must(table().stream_query(where, handle, &done));
        return done;
    }

    device where;
    void* handle = nullptr;
};
struct event {
    explicit event(device d, bool timed = false) : where(d) {
        must(table().event_create(d, timed, &handle));
    }
    ~event() { CHECK(table().event_destroy(where, handle).ok()); }
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    void record(const stream& s) const { must(table().event_record(where, handle, s.handle)); }
    bool is_passed() const {
        bool done = false;
        must(table().event_query(where, handle, &done));
        return done;
    }

    device where;
    void* handle = nullptr;
};

/// Holds up a stream.
struct latch {
    explicit latch(const stream& s) {
        if (gate.hold(s.where, s.handle)) return;
        s.run([&c = opened]() noexcept { c.wait_for(1); });
    }
    ~latch() { open(); }
    latch(const latch&) = delete;
    latch& operator=(const latch&) = delete;
    void open() const {
        gate.open();
        opened.add(1);
    }

    mutable devmem_test::gate gate;
    devmem::detail::wait_counter& opened = []() -> auto& {
        static auto* const all = new std::vector<devmem::detail::wait_counter*>;
        all->push_back(new devmem::detail::wait_counter);
        return *all->back();
    }
    ();
};

/// What is there when the stream has passed.
std::vector<unsigned char> read_back(const memory& m, const stream& s, std::size_t n) {
    const memory host(m.where, memory_space::pinned, n);
    must(table().copy_async(m.where, s.handle, host.data, m.data, n));
    s.synchronize();
    std::vector<unsigned char> bytes(n);
    std::memcpy(bytes.data(), host.data, n);
    return bytes;
}

}  // namespace

TEST_CASE("the table says what it is") {
    CHECK(table().kind == (path_is_cuda ? device_kind::cuda : device_kind::cpu));
    CHECK(table().version == devmem::detail::table_version);
    CHECK(devmem::detail::same_backend(table(), table()));
    CHECK(!table().in_callback());
    CHECK(std::string(table().native_name(0)).empty());
}

TEST_CASE("devices are counted, and tell facts") {
    int count = 0;
    must(table().device_count(&count));
    CHECK(count == 4);
    for (int i = 0; i < count; ++i) {
        devmem::device_facts facts;
        must(table().facts(test_device(i), &facts));
        CHECK(std::strlen(facts.name) > 0);
        CHECK(facts.total_memory > 0);
        devmem::memory_counts counts;
        must(table().memory_info(test_device(i), &counts));
        CHECK(counts.total == facts.total_memory);
        CHECK(counts.free <= counts.total);
        CHECK(table().synchronize_device(test_device(i)).ok());
    }
}

TEST_CASE("a device that is not there is no_such_device to every function that is given one") {
    for (const device absent :
         {device(d0.kind(), 4), device(d0.kind(), -1), device(device_kind::mps, 0)}) {
        CAPTURE(absent.index());
        devmem::device_facts facts;
        devmem::memory_counts counts;
        device before = d1;
        void* out = &facts;
        const status all[] = {
            table().facts(absent, &facts),
            table().memory_info(absent, &counts),
            table().push_device(absent, &before),
            table().synchronize_device(absent),
            table().allocate(absent, memory_space::device, 16, &out),
            table().allocate(absent, memory_space::pinned, 16, &out),
            table().default_stream(absent, &out),
            table().stream_create(absent, &out),
            table().event_create(absent, false, &out),
        };
        for (const status s : all) CHECK(s.code == error_code::no_such_device);
        device current;
        must(table().current_device(&current));
        CHECK(current == d0);
    }
}

TEST_CASE("push makes a device current, pop what was current before") {
    device current;
    device before_1;
    device before_2;
    must(table().push_device(d1, &before_1));
    CHECK(before_1 == d0);
    must(table().push_device(test_device(3), &before_2));
    CHECK(before_2 == d1);
    must(table().current_device(&current));
    CHECK(current == test_device(3));
    must(table().pop_device(before_2));
    must(table().current_device(&current));
    CHECK(current == d1);
    must(table().pop_device(before_1));
    must(table().current_device(&current));
    CHECK(current == d0);
}

TEST_CASE("no function but push and pop changes the current device") {
    const stream s(test_device(2));
    const event e(test_device(2));
    const memory m(test_device(3), memory_space::device, 100);
    e.record(s);
    must(table().synchronize_device(test_device(1)));
    devmem::memory_counts counts;
    must(table().memory_info(test_device(1), &counts));
    device current;
    must(table().current_device(&current));
    CHECK(current == d0);
}

TEST_CASE("memory of each space is aligned, apart from all other, and holds what is copied there") {
    const stream s(d1);
    for (const memory_space space : spaces) {
        CAPTURE(static_cast<int>(space));
        std::vector<std::unique_ptr<memory>> all;
        for (const std::size_t bytes : {1u, 3u, 255u, 256u, 257u, 4096u, 100'000u, 4'500'001u}) {
            all.push_back(std::make_unique<memory>(d1, space, bytes));
            const memory& m = *all.back();
            CHECK(reinterpret_cast<std::uintptr_t>(m.data) % devmem::detail::block_alignment == 0);
            for (const auto& other : all) {
                if (other.get() == &m) continue;
                const bool apart =
                    m.at(bytes) <= other->at(0) || other->at(other->bytes) <= m.at(0);
                CHECK(apart);
            }
            const std::vector<unsigned char> values(bytes, static_cast<unsigned char>(bytes % 251));
            must(table().upload_async(d1, s.handle, m.data, values.data(), bytes));
            CHECK(read_back(m, s, bytes) == values);
        }
    }
}

TEST_CASE("host memory of a backend is for the host to touch") {
    for (const memory_space space :
         {memory_space::pinned, memory_space::mapped, memory_space::managed}) {
        const memory m(d0, space, 1000);
        std::memset(m.data, 7, 1000);
        const stream s(d0);
        CHECK(read_back(m, s, 1000) == std::vector<unsigned char>(1000, 7));
    }
}

TEST_CASE("more memory than there is, is out_of_memory, and nothing is given") {
    for (const memory_space space : spaces) {
        void* out = nullptr;
        const status s = table().allocate(d0, space, std::size_t{1} << 50, &out);
        CHECK(s.code == error_code::out_of_memory);
        CHECK(s.native != 0);
        CHECK(std::string(table().native_name(s.native)).size() > 3);
        CHECK(out == nullptr);
    }
    const memory after(d0, memory_space::device, 1000);
    CHECK(after.data != nullptr);
}

TEST_CASE("memory can be had and given back in the order of a stream") {
    const stream s(d1);
    void* data = nullptr;
    must(table().allocate_async(d1, s.handle, 5000, &data));
    CHECK(reinterpret_cast<std::uintptr_t>(data) % devmem::detail::block_alignment == 0);
    const std::vector<unsigned char> values(5000, 9);
    must(table().upload_async(d1, s.handle, data, values.data(), 5000));
    const memory copy(d1, memory_space::device, 5000);
    must(table().copy_async(d1, s.handle, copy.data, data, 5000));
    must(table().deallocate_async(d1, s.handle, data, 5000));
    CHECK(read_back(copy, s, 5000) == values);
}

TEST_CASE("streams are told apart by their ids, and know their device") {
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 20; ++i) {
        const stream s(test_device(i % 4));
        std::uint64_t id = 0;
        device of;
        must(table().stream_identity(s.where, s.handle, &id, &of));
        CHECK(of == test_device(i % 4));
        for (const std::uint64_t other : ids) CHECK(id != other);
        ids.push_back(id);
        CHECK(s.is_done());
    }
}

TEST_CASE("a device has one default stream, which takes work") {
    void* first = nullptr;
    void* second = nullptr;
    must(table().default_stream(d0, &first));
    must(table().default_stream(d0, &second));
    CHECK(first != nullptr);
    CHECK(first == second);
    int ran = 0;
    must(table().host_call(d0, first, make_host_function([&ran]() noexcept { ran = 1; })));
    must(table().stream_synchronize(d0, first));
    CHECK(ran == 1);
}

TEST_CASE("host functions run once each, in order, and know where they are") {
    const stream s(d1);
    std::vector<int> order;
    bool inside = false;
    for (int i = 0; i < 300; ++i) {
        s.run([&order, &inside, i]() noexcept {
            order.push_back(i);
            inside = table().in_callback();
        });
    }
    s.synchronize();
    REQUIRE(order.size() == 300);
    int wrong = 0;
    for (int i = 0; i < 300; ++i) wrong += order[static_cast<std::size_t>(i)] != i;
    CHECK(wrong == 0);
    CHECK(inside);
    CHECK(!table().in_callback());
}

TEST_CASE("work is pending until it has run; synchronizing the stream or device waits for it") {
    DEVMEM_NEEDS_GATE();
    for (const bool whole_device : {false, true}) {
        const stream s(d0);
        const latch held(s);
        int ran = 0;
        s.run([&ran]() noexcept { ran = 1; });
        CHECK(!s.is_done());
        held.open();
        if (whole_device) {
            must(table().synchronize_device(d0));
        } else {
            s.synchronize();
        }
        CHECK(ran == 1);
        CHECK(s.is_done());
    }
}

TEST_CASE("a stream waits for an event as it was recorded when the wait was queued") {
    DEVMEM_NEEDS_GATE();
    const stream a(d0);
    const stream b(d1);
    const stream c(d0);
    const event e(d0);
    int value = 0;
    int seen = 0;
    const latch first(a);
    a.run([&value]() noexcept { value = 5; });
    e.record(a);
    must(table().stream_wait_event(d1, b.handle, e.handle));
    b.run([&value, &seen]() noexcept { seen = value; });
    // Recorded again, behind what b need not wait for.
    const latch second(c);
    e.record(c);
    CHECK(!e.is_passed());
    CHECK(!b.is_done());
    first.open();
    b.synchronize();
    CHECK(seen == 5);
    CHECK(!e.is_passed());
    second.open();
    must(table().event_synchronize(d0, e.handle));
    CHECK(e.is_passed());
}

TEST_CASE("an event that was never recorded is passed") {
    const stream s(d0);
    const event e(d0);
    CHECK(e.is_passed());
    must(table().event_synchronize(d0, e.handle));
    must(table().stream_wait_event(d0, s.handle, e.handle));
    s.synchronize();
    CHECK(s.is_done());
}

TEST_CASE("timed events measure; others, and those not recorded, cannot be measured") {
    const stream s(d0);
    const event begin(d0, true);
    const event end(d0, true);
    const event untimed(d0);
    float milliseconds = -1;
    CHECK(table().event_elapsed(d0, begin.handle, end.handle, &milliseconds).code ==
          error_code::invalid_argument);
    begin.record(s);
    untimed.record(s);
    end.record(s);
    s.synchronize();
    CHECK(table().event_elapsed(d0, begin.handle, untimed.handle, &milliseconds).code ==
          error_code::invalid_argument);
    CHECK(table().event_elapsed(d0, untimed.handle, end.handle, &milliseconds).code ==
          error_code::invalid_argument);
    CHECK(milliseconds == -1);
    must(table().event_elapsed(d0, begin.handle, end.handle, &milliseconds));
    CHECK(milliseconds >= 0);
    CHECK(milliseconds < 10'000);
}

TEST_CASE("a stream may be destroyed with work on it, which goes on") {
    DEVMEM_NEEDS_GATE();
    const event end(d0);
    int ran = 0;
    {
        const stream s(d0);
        const latch held(s);
        s.run([&ran]() noexcept { ran = 1; });
        end.record(s);
        CHECK(!end.is_passed());
    }
    must(table().event_synchronize(d0, end.handle));
    CHECK(ran == 1);
}

TEST_CASE("fills write each width and count, and nothing beside it") {
    const stream s(d1);
    constexpr std::size_t before = 48;  // a multiple of all widths
    for (const std::size_t width : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 24u}) {
        for (const std::size_t count : {1u, 2u, 3u, 5u, 100u, 70'001u}) {
            CAPTURE(width);
            CAPTURE(count);
            const std::size_t whole = before + width * count + 48;
            const memory m(d1, memory_space::device, whole);
            std::vector<unsigned char> expected(whole, 0xEE);
            const unsigned char around = 0xEE;
            must(table().fill_async(d1, s.handle, m.data, &around, 1, whole));
            std::vector<unsigned char> pattern(width);
            for (std::size_t i = 0; i < width; ++i) {
                pattern[i] = static_cast<unsigned char>(10 * i + 1);
            }
            must(table().fill_async(d1, s.handle, m.at(before), pattern.data(), width, count));
            for (std::size_t i = 0; i < width * count; ++i) {
                expected[before + i] = pattern[i % width];
            }
            // The pattern was read at the call.
            pattern.assign(width, 0);
            CHECK(read_back(m, s, whole) == expected);
        }
    }
}

TEST_CASE("a pattern of equal bytes, and of zeros, is no special case to the caller") {
    const stream s(d0);
    constexpr unsigned char bytes[] = {0, 1, 0x80, 0xFF};
    for (const unsigned char byte : bytes) {
        for (const std::size_t width : {2u, 4u, 8u, 12u}) {
            const memory m(d0, memory_space::device, width * 33);
            const std::vector<unsigned char> pattern(width, byte);
            must(table().fill_async(d0, s.handle, m.data, pattern.data(), width, 33));
            CHECK(read_back(m, s, width * 33) == std::vector<unsigned char>(width * 33, byte));
        }
    }
}

TEST_CASE("copies go between all spaces and devices") {
    const stream s(d0);
    constexpr std::size_t bytes = 3'001;
    for (const memory_space from : spaces) {
        for (const memory_space to : spaces) {
            for (const int other : {0, 1}) {
                const memory src(d0, from, bytes);
                const memory dst(test_device(other), to, bytes);
                const auto value = static_cast<unsigned char>(1 + static_cast<int>(from) * 4 +
                                                              static_cast<int>(to));
                must(table().fill_async(d0, s.handle, src.data, &value, 1, bytes));
                must(table().copy_async(d0, s.handle, dst.data, src.data, bytes));
                s.synchronize();
                const stream reader(test_device(other));
                CHECK(read_back(dst, reader, bytes) == std::vector<unsigned char>(bytes, value));
            }
        }
    }
}

TEST_CASE("an upload has read pageable memory when it returns, small or large") {
    const stream s(d1);
    const std::size_t staging = devmem::detail::cpu_options_in_force.staging_bytes;
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{100'000}, staging, staging + 1}) {
        CAPTURE(bytes);
        const memory m(d1, memory_space::device, bytes);
        std::vector<unsigned char> source(bytes, 3);
        must(table().upload_async(d1, s.handle, m.data, source.data(), bytes));
        source.assign(bytes, 4);
        CHECK(read_back(m, s, bytes) == std::vector<unsigned char>(bytes, 3));
    }
}

TEST_CASE("a small upload does not wait for its stream") {
    DEVMEM_NEEDS_GATE();
    const stream s(d1);
    const memory m(d1, memory_space::device, 1000);
    const latch held(s);
    {
        const std::vector<unsigned char> source(1000, 6);
        must(table().upload_async(d1, s.handle, m.data, source.data(), 1000));
        CHECK(!s.is_done());
    }
    held.open();
    CHECK(read_back(m, s, 1000) == std::vector<unsigned char>(1000, 6));
}

TEST_CASE("in a host function no function is permitted but those that end something's life") {
    const stream s(d0);
    const stream other(d1);
    const event e(d0);
    const event timed(d0, true);
    e.record(s);
    timed.record(s);
    const memory m(d0, memory_space::device, 64);
    const memory pinned(d0, memory_space::pinned, 64);
    s.synchronize();

    int count = 0;
    bool done = false;
    float milliseconds = 0;
    void* out = nullptr;
    std::uint64_t id = 0;
    device of;
    devmem::device_facts facts;
    devmem::memory_counts counts;
    const unsigned char byte = 1;
    const host_function nothing = make_host_function([]() noexcept {});
    const std::pair<const char*, std::function<status()>> calls[] = {
        {"device_count", [&] { return table().device_count(&count); }},
        {"facts", [&] { return table().facts(d0, &facts); }},
        {"current_device", [&] { return table().current_device(&of); }},
        {"push_device", [&] { return table().push_device(d1, &of); }},
        {"memory_info", [&] { return table().memory_info(d0, &counts); }},
        {"synchronize_device", [&] { return table().synchronize_device(d1); }},
        {"allocate", [&] { return table().allocate(d0, memory_space::device, 64, &out); }},
        {"deallocate", [&] { return table().deallocate(d0, memory_space::device, m.data, 64); }},
        {"allocate_async", [&] { return table().allocate_async(d0, s.handle, 64, &out); }},
        {"deallocate_async", [&] { return table().deallocate_async(d0, s.handle, m.data, 64); }},
        {"default_stream", [&] { return table().default_stream(d0, &out); }},
        {"stream_create", [&] { return table().stream_create(d0, &out); }},
        {"stream_identity", [&] { return table().stream_identity(d0, s.handle, &id, &of); }},
        {"stream_query", [&] { return table().stream_query(d0, s.handle, &done); }},
        {"stream_synchronize", [&] { return table().stream_synchronize(d1, other.handle); }},
        {"stream_wait_event",
         [&] { return table().stream_wait_event(d1, other.handle, e.handle); }},
        {"event_create", [&] { return table().event_create(d0, false, &out); }},
        {"event_record", [&] { return table().event_record(d0, e.handle, s.handle); }},
        {"event_query", [&] { return table().event_query(d0, e.handle, &done); }},
        {"event_synchronize", [&] { return table().event_synchronize(d0, e.handle); }},
        {"event_elapsed",
         [&] { return table().event_elapsed(d0, timed.handle, timed.handle, &milliseconds); }},
        {"copy_async", [&] { return table().copy_async(d0, s.handle, m.data, pinned.data, 64); }},
        {"upload_async", [&] { return table().upload_async(d0, s.handle, m.data, &byte, 1); }},
        {"copy_2d_async",
         [&] {
             return table().copy_2d_async(d0, s.handle, {m.data, 8, pinned.data, 8, 4, 4});
         }},
        {"upload_2d_async",
         [&] {
             return table().upload_2d_async(d0, s.handle, {m.data, 1, &byte, 1, 1, 1});
         }},
        {"fill_async", [&] { return table().fill_async(d0, s.handle, m.data, &byte, 1, 64); }},
        {"host_call", [&] { return table().host_call(d0, s.handle, nothing); }},
        {"host_call elsewhere", [&] { return table().host_call(d1, other.handle, nothing); }},
    };
    for (const auto& call : calls) {
        CAPTURE(call.first);
        error_code found = error_code::none;
        s.run([f = &call.second, &found]() noexcept { found = (*f)().code; });
        s.synchronize();
        CHECK(found == error_code::not_permitted);
    }
    CHECK(out == nullptr);
    CHECK(other.is_done());
}

#if defined(DEVMEM_CUDA)

TEST_CASE("nothing above did what CUDA forbids") { CHECK(simulated_cuda::misuses().empty()); }

TEST_CASE("the dynamic backend gives each device's calls to its kind's backend") {
    static_cast<void>(devmem::devices());  // reads how many CPU devices there are to be
    using dynamic = devmem::dynamic_backend;
    int count = 0;
    REQUIRE(dynamic::device_count(&count).ok());
    CHECK(count == 8);
    device current;
    REQUIRE(dynamic::current_device(&current).ok());
    CHECK(current == device::cuda(0));
    simulated_cuda::clear_calls();
    void* out = nullptr;
    REQUIRE(dynamic::allocate(device::cpu(1), memory_space::device, 100, &out).ok());
    REQUIRE(dynamic::deallocate(device::cpu(1), memory_space::device, out, 100).ok());
    CHECK(simulated_cuda::calls().empty());
    REQUIRE(dynamic::allocate(device::cuda(1), memory_space::device, 100, &out).ok());
    CHECK(simulated_cuda::count("cudaMalloc") == 1);
    REQUIRE(dynamic::deallocate(device::cuda(1), memory_space::device, out, 100).ok());
    CHECK(simulated_cuda::count("cudaFree") == 1);
}

#endif
