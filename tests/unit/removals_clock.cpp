// What the check of order knows: the clocks of streams, events and the host, and what it says.
#include "captured_texts.hpp"
#include "fake_backend.hpp"

#include <devmem/event.hpp>
#include <devmem/memory/hazard.hpp>
#include <devmem/order_check.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <stdexcept>
#include <string>

using namespace devmem::detail;
using devmem::order_check;
using devmem_test::fake_backend;
using devmem_test::fake_device;
using devmem_test::fake_stream;
using devmem_test::fake_table;

namespace {

class [[nodiscard]] checking {
  public:
    explicit checking(order_check how = order_check::raise) { devmem::set_order_check(how); }
    ~checking() { devmem::set_order_check(order_check::off); }
    checking(const checking&) = delete;
    checking& operator=(const checking&) = delete;
};

/// Up to which of the accesses of `s` those who have that clock come after it.
std::uint64_t known(const vector_clock& clock, const fake_stream& s) { return clock.at(s->number); }

/// What is said of an access by `s`, or by the host where that is null.
std::string hazard_of(const use_list& uses, stream_state* s, access_mode mode) {
    try {
        text<600> to_print;
        check_order(uses, s, mode, "second", to_print);
        report(to_print);
    } catch (const devmem::access_conflict& e) {
        return e.what();
    }
    return "";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string name_of(const fake_stream& s) {
    return "stream " + std::to_string(s->id.load_relaxed());
}

/// No address space is left while it lives.
class [[nodiscard]] no_more_memory {
  public:
    no_more_memory() {
        getrlimit(RLIMIT_AS, &before_);
        const rlimit none{1, before_.rlim_max};
        setrlimit(RLIMIT_AS, &none);
    }
    ~no_more_memory() { setrlimit(RLIMIT_AS, &before_); }
    no_more_memory(const no_more_memory&) = delete;
    no_more_memory& operator=(const no_more_memory&) = delete;

  private:
    rlimit before_{};
};

}  // namespace

TEST_CASE("a clock knows nothing of streams that it has not heard of") {
    vector_clock clock;
    CHECK(clock.at(0) == 0);
    CHECK(clock.at(3) == 0);
    clock.raise(3, 5);
    CHECK(clock.at(3) == 5);
    CHECK(clock.at(2) == 0);
    CHECK(clock.at(4) == 0);
    clock.raise(3, 4);
    CHECK(clock.at(3) == 5);
    clock.raise(1, 2);  // what it has heard of already makes it no smaller
    CHECK(clock.at(3) == 5);
    clock.raise(100, 9);
    CHECK(clock.at(100) == 9);
    CHECK(clock.at(3) == 5);
    CHECK(clock.at(1) == 2);
    clock.clear();
    CHECK(clock.at(3) == 0);
    clock.raise(2, 1);
    CHECK(clock.at(1) == 0);
    CHECK(clock.at(3) == 0);
}

TEST_CASE("joining clocks keeps the later of each") {
    vector_clock longer;
    longer.raise(7, 3);
    longer.raise(1, 9);
    vector_clock shorter;
    shorter.raise(1, 4);
    shorter.raise(2, 6);
    vector_clock both;
    both.raise(2, 5);
    both.join(longer);
    both.join(shorter);
    CHECK(both.at(7) == 3);
    CHECK(both.at(1) == 9);
    CHECK(both.at(2) == 6);
    CHECK(both.at(3) == 0);
    shorter.join(longer);
    CHECK(shorter.at(7) == 3);
    CHECK(shorter.at(1) == 9);
    CHECK(shorter.at(2) == 6);
}

TEST_CASE("a clock that grows has room for twice as much, and one that need not asks for nothing") {
    constexpr std::uint32_t many = 10'000'000;  // more than malloc keeps for itself
    vector_clock clock;
    clock.raise(many, 1);
    clock.raise(many + 1, 2);
    {
        const no_more_memory none;
        clock.raise(many + many / 2, 3);
        clock.raise(many + many / 2, 4);
    }
    CHECK(clock.at(many + many / 2) == 4);
    CHECK(clock.at(many + 1) == 2);
    CHECK(clock.at(many) == 1);
    vector_clock small;
    small.raise(1, 5);
    const devmem_test::captured_notes notes;
    {
        const no_more_memory none;
        small.join(clock);
    }
    CHECK(small.at(1) == 5);
    CHECK(small.at(many) == 0);
    small.raise(100, 6);  // more than twice as much
    CHECK(small.at(100) == 6);
    CHECK(small.at(1) == 5);
}

TEST_CASE("where there is no memory for a clock, order is not checked any more, and that is said") {
    const checking on;
    const devmem_test::captured_notes notes;
    vector_clock clock;
    clock.raise(1, 1);
    vector_clock huge;
    {
        const no_more_memory none;
        clock.raise(0xF000'0000, 1);
    }
    CHECK_FALSE(is_checking());
    REQUIRE(notes.all().size() == 1);
    CHECK(has(notes.all()[0], "out of memory: order is not checked any more"));
    CHECK(clock.at(1) == 1);
    CHECK(clock.at(0xF000'0000) == 0);
}

TEST_CASE("where order is not checked, clocks stand still") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    const stream_mark m = a.work();
    vector_clock event;
    a->known.raise(a->number, m.tick);
    note_record(event, *a, m.tick);
    CHECK(known(event, a) == 0);
    note_passed(b->known, m);
    CHECK(known(b->known, a) == 0);
    note_synchronize(*a, m.tick);
    CHECK(known(host.known, a) == 0);
    event.raise(a->number, m.tick);
    note_wait(b->known, event);
    CHECK(known(b->known, a) == 0);
}

TEST_CASE(
    "an event comes after the work before it, what that waited for, and what the host knows") {
    fake_backend::reset();
    const checking on;
    const fake_stream a;
    const fake_stream b;
    const fake_stream c;
    const stream_mark on_c = c.work();
    REQUIRE(synchronize_work(*c).ok());
    CHECK(known(host.known, c) == on_c.tick);
    const stream_mark on_a = a.work();
    CHECK(make_wait(*b, on_a).ok());
    CHECK(known(b->known, a) == on_a.tick);
    CHECK(known(b->known, c) == on_c.tick);  // by way of `a`, which was recorded after
    const stream_mark on_b = b.work();
    CHECK(known(host.known, a) == 0);
    CHECK(wait_for(on_b).ok());
    CHECK(known(host.known, b) == on_b.tick);
    CHECK(known(host.known, a) == on_a.tick);
}

TEST_CASE(
    "a stream comes after an access that has passed, and the host after what it has waited for") {
    fake_backend::reset();
    const checking on;
    const fake_stream a;
    const fake_stream b;
    const fake_stream before;
    const stream_mark first = before.work();
    CHECK(make_wait(*a, first).ok());
    const stream_mark m = a.work();
    note_passed(b->known, m);
    CHECK(known(b->known, a) == m.tick);
    CHECK(known(b->known, before) == first.tick);
    fake_backend::stream_is_done = true;
    CHECK(known(host.known, a) == 0);
    CHECK(synchronize_all(fake_table, fake_device).ok());
    CHECK(known(host.known, a) == m.tick);
    CHECK(known(host.known, before) == first.tick);
}

TEST_CASE("events of the program's own carry what they know") {
    fake_backend::reset();
    const checking on;
    const fake_stream a;
    const fake_stream b;
    const devmem::stream_view on_a(*a);
    const devmem::stream_view on_b(*b);
    const stream_mark m = a.work();
    devmem::event e(on_a);
    CHECK(fake_backend::records == 1);
    on_b.wait(e);
    CHECK(fake_backend::stream_waits == 1);
    CHECK(known(b->known, a) == m.tick);
    CHECK(known(host.known, a) == 0);
    CHECK_FALSE(e.query());
    CHECK(known(host.known, a) == 0);
    e.synchronize();
    CHECK(fake_backend::event_waits == 1);
    CHECK(known(host.known, a) == m.tick);
    const stream_mark later = a.work();
    e.record(on_a);
    fake_backend::events_done_to = fake_backend::clock;
    CHECK(e.query());
    CHECK(known(host.known, a) == later.tick);
    const stream_mark last = a.work();
    CHECK_FALSE(on_a.query());
    CHECK(known(host.known, a) == later.tick);
    fake_backend::stream_is_done = true;
    CHECK(on_a.query());
    CHECK(known(host.known, a) == last.tick);
}

TEST_CASE("what a stream's work has thrown is thrown once, by the wait for it") {
    fake_backend::reset();
    const fake_stream s;
    synchronize_stream(*s, "test");
    CHECK(fake_backend::stream_syncs == 1);
    try {
        throw std::runtime_error("thrown by work");
    } catch (...) {
        keep_exception(ticket_of(*s));
    }
    CHECK_THROWS_AS(synchronize_stream(*s, "test"), std::runtime_error);
    CHECK_NOTHROW(synchronize_stream(*s, "test"));
    CHECK(fake_backend::stream_syncs == 3);
    s->has_exception.store_relaxed(true);  // another thread has taken it
    CHECK_NOTHROW(synchronize_stream(*s, "test"));
    fake_backend::on_stream_sync = {devmem::error_code::backend_failure, 1};
    CHECK_THROWS_AS(devmem::stream_view(*s).synchronize(), devmem::error);
}

TEST_CASE("a hazard is of the kind, on the streams and at the places that it says") {
    fake_backend::reset();
    const checking on;
    const fake_stream a;
    const fake_stream b;
    use_list uses;
    stream_use& use = uses.find_or_add(*a);
    use.read_by = "reader";
    use.written_by = "writer";
    use.write_tick = a.work().tick;
    std::string said = hazard_of(uses, &*b, access_mode::read);
    CHECK(has(said, "a read after a write that nothing orders: second at removals_clock.cpp:"));
    CHECK(has(said, name_of(b) + " does not wait for writer at removals_clock.cpp:"));
    CHECK(has(said, "; let cpu:"));
    CHECK(has(said, name_of(b) + " wait for an event recorded after it on cpu:"));
    CHECK(has(hazard_of(uses, &*b, access_mode::write), "a write after a write"));
    CHECK(hazard_of(uses, &*a, access_mode::read).empty());
    CHECK(hazard_of(uses, &*a, access_mode::write).empty());

    use.read_tick = a.work().tick;
    said = hazard_of(uses, &*b, access_mode::write);
    CHECK(has(said, "a write after a read"));
    CHECK(has(said, "reader"));
    said = hazard_of(uses, nullptr, access_mode::read);
    CHECK(has(said, "a read after a write"));
    CHECK(has(said, "on the host does not wait for writer"));
    CHECK(has(said, "let the host synchronize an event recorded after it on cpu:"));
    CHECK_FALSE(has(said, "wait for an event"));

    use.write_tick = a.work().tick;
    CHECK(has(hazard_of(uses, &*b, access_mode::write), "writer"));

    b->known.raise(a->number, use.write_tick - 1);
    CHECK_FALSE(hazard_of(uses, &*b, access_mode::write).empty());
    b->known.raise(a->number, use.write_tick);
    CHECK(hazard_of(uses, &*b, access_mode::write).empty());
    CHECK_FALSE(hazard_of(uses, nullptr, access_mode::write).empty());
}

TEST_CASE("work queued on a stream comes after what the host has waited for") {
    fake_backend::reset();
    const checking on;
    const fake_stream a;
    const fake_stream b;
    use_list uses;
    uses.find_or_add(*a).write_tick = a.work().tick;
    CHECK_FALSE(hazard_of(uses, &*b, access_mode::read).empty());
    REQUIRE(synchronize_work(*a).ok());
    CHECK(hazard_of(uses, &*b, access_mode::read).empty());
    CHECK(hazard_of(uses, nullptr, access_mode::write).empty());
    uses.find_or_add(*a).write_tick = a.work().tick;
    CHECK_FALSE(hazard_of(uses, &*b, access_mode::read).empty());
    // So does an event that is recorded then.
    const fake_stream c;
    REQUIRE(synchronize_work(*a).ok());
    REQUIRE(record_ended(*c).ok());
    CHECK(known(c->events->known, a) == uses.begin()->write_tick);
}

TEST_CASE("a hazard that is printed stops nothing") {
    fake_backend::reset();
    const checking on(order_check::print);
    const devmem_test::captured_notes notes;
    report({});
    const fake_stream a;
    use_list uses;
    uses.find_or_add(*a).write_tick = a.work().tick;
    CHECK(hazard_of(uses, nullptr, access_mode::read).empty());
    CHECK(notes.all().size() == 1);
}

TEST_CASE("the last part of a file's name is the whole where there is no folder") {
    CHECK(std::string(short_name("a/b/c.cpp")) == "c.cpp");
    CHECK(std::string(short_name("c.cpp")) == "c.cpp");
}
