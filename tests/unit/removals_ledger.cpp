// The ledger of a block, down to the single call of the backend: who waits for whom, what is
// recorded, and what is forgotten.
#include "captured_texts.hpp"
#include "fake_backend.hpp"
#include "no_memory.hpp"

#include <devmem/error.hpp>
#include <devmem/memory/ledger.hpp>
#include <devmem/order_check.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

using namespace devmem::detail;
using devmem::access_conflict;
using devmem::order_check;
using devmem::status;
using devmem_test::fake_backend;
using devmem_test::fake_stream;

namespace {

constexpr access_mode reading = access_mode::read;
constexpr access_mode writing = access_mode::write;
constexpr status failed{devmem::error_code::backend_failure, 7};

/// A ledger of a block that `s` is the next to use.
struct fresh_ledger : access_ledger {
    explicit fresh_ledger(const fake_stream& s, bool records = false) { begin_on(*s, records); }
};

void access(access_ledger& ledger, const fake_stream& s, access_mode mode) {
    ledger.open(*s, mode, "test");
    ledger.close(*s, mode);
}

/// How many waits of a stream opening and closing an access costs.
int waits_of(access_ledger& ledger, const fake_stream& s, access_mode mode) {
    const int before = fake_backend::stream_waits;
    access(ledger, s, mode);
    return fake_backend::stream_waits - before;
}

int records_of(access_ledger& ledger, const fake_stream& s, access_mode mode) {
    const int before = fake_backend::records;
    access(ledger, s, mode);
    return fake_backend::records - before;
}

int host_waits_of(access_ledger& ledger, access_mode mode) {
    const int before = fake_backend::event_waits;
    ledger.wait_on_host(mode, "test");
    return fake_backend::event_waits - before;
}

/// Streams with a use that has not passed, in the order of the list.
std::vector<const stream_state*> pending(const access_ledger& ledger) {
    std::vector<const stream_state*> all;
    ledger.for_each_pending([&all](const stream_mark& m) { all.push_back(m.stream); });
    return all;
}

void pass(const fake_stream& s) { raise_to(s->passed, s->tick.load_relaxed()); }

std::string refusal_of(access_ledger& ledger, const fake_stream& s, access_mode mode) {
    try {
        ledger.open(*s, mode, "test");
    } catch (const access_conflict& e) {
        return e.what();
    }
    ledger.close(*s, mode);
    return "";
}

std::string refusal_on_host(access_ledger& ledger, access_mode mode) {
    try {
        ledger.wait_on_host(mode, "test");
    } catch (const access_conflict& e) {
        return e.what();
    }
    return "";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

class [[nodiscard]] checking {
  public:
    explicit checking(order_check how = order_check::raise) { devmem::set_order_check(how); }
    ~checking() { devmem::set_order_check(order_check::off); }
    checking(const checking&) = delete;
    checking& operator=(const checking&) = delete;
};

}  // namespace

TEST_CASE("a list of uses has one for each stream, as many as there are") {
    const fake_stream s[9];
    use_list uses;
    for (std::uint32_t i = 0; i < 9; ++i) {
        CHECK(uses.find(*s[i]) == nullptr);
        uses.find_or_add(*s[i]).open_reads = i + 1;
        CHECK(uses.size() == i + 1);
    }
    for (std::uint32_t i = 0; i < 9; ++i) {
        CHECK(uses.find_or_add(*s[i]).open_reads == i + 1);
        CHECK(uses.find(*s[i])->stream == &*s[i]);
    }
    CHECK(uses.size() == 9);
    uses.remove_if([](const stream_use& u) { return u.open_reads % 2 == 0; });
    CHECK(uses.size() == 5);
    CHECK(uses.find(*s[1]) == nullptr);
    CHECK(uses.find(*s[8])->open_reads == 9);
    // What once was in a place of the list is not found there again.
    CHECK(uses.find_or_add(*s[1]).open_reads == 0);
}

TEST_CASE("what conflicts with a read is the last write, with a write the last of all") {
    const fake_stream s;
    stream_use u{.stream = &*s, .read_tick = 5, .write_tick = 3};
    CHECK(u.conflict_with(reading).tick == 3);
    CHECK(u.conflict_with(writing).tick == 5);
    u.write_tick = 7;
    CHECK(u.conflict_with(reading).tick == 7);
    CHECK(u.conflict_with(writing).tick == 7);
    CHECK(u.conflict_with(writing).stream == &*s);
}

TEST_CASE("uses of one stream are added up") {
    const fake_stream s;
    stream_use u{.stream = &*s, .read_tick = 5, .write_tick = 3, .read_by = "r", .written_by = "w"};
    u.add({.stream = &*s, .read_tick = 4, .write_tick = 6, .read_by = "R", .written_by = "W"});
    CHECK(u.read_tick == 5);
    CHECK(u.write_tick == 6);
    CHECK(std::string(u.read_by.name) == "r");
    CHECK(std::string(u.written_by.name) == "W");
    u.add({.stream = &*s, .read_tick = 8, .write_tick = 1, .read_by = "R", .written_by = "W2"});
    CHECK(std::string(u.read_by.name) == "R");
    CHECK(std::string(u.written_by.name) == "W");
    CHECK_FALSE(u.raw_reads);
    CHECK_FALSE(u.raw_writes);
    stream_use raw{.stream = &*s};
    raw.raw_reads = true;
    u.add(raw);
    CHECK(u.raw_reads);
    CHECK_FALSE(u.raw_writes);
    raw.raw_reads = false;
    raw.raw_writes = true;
    u.add(raw);
    CHECK(u.raw_reads);
    CHECK(u.raw_writes);
    u.add({.stream = &*s});
    CHECK(u.raw_reads);
    CHECK(u.raw_writes);
}

TEST_CASE("a use is open and closed by its mode") {
    const fake_stream s;
    stream_use u{.stream = &*s, .read_tick = 1, .write_tick = 2};
    CHECK_FALSE(u.is_open());
    ++u.open(reading);
    CHECK(u.open_reads == 1);
    CHECK(u.is_open());
    u.close(reading, 9);
    CHECK(u.read_tick == 9);
    CHECK(u.write_tick == 2);
    CHECK_FALSE(u.is_open());
    ++u.open(writing);
    CHECK(u.open_writes == 1);
    CHECK(u.is_open());
    u.close(writing, 10);
    CHECK(u.write_tick == 10);
    CHECK(u.read_tick == 9);
    u.last(reading) = "r";
    u.last(writing) = "w";
    CHECK(std::string(u.read_by.name) == "r");
    CHECK(std::string(u.written_by.name) == "w");
    u.close(reading, 3);  // ended out of turn, by another thread
    CHECK(u.read_tick == 9);
}

TEST_CASE("on one stream nothing is called, and each kind of access leaves its mark") {
    fake_backend::reset();
    const fake_stream s;
    fresh_ledger ledger(s);
    CHECK(pending(ledger).empty());
    access(ledger, s, reading);
    CHECK(pending(ledger).size() == 1);
    CHECK_FALSE(ledger.is_ready_for(nullptr));
    CHECK(ledger.is_ready_for(&*s));
    pass(s);
    CHECK(ledger.is_ready_for(nullptr));
    access(ledger, s, writing);
    CHECK_FALSE(ledger.is_ready_for(nullptr));
    CHECK(pending(ledger).size() == 1);
    CHECK(fake_backend::records == 0);
    CHECK(fake_backend::stream_waits == 0);
}

TEST_CASE("an access waits for what conflicts on another stream, and not twice") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    const fake_stream c;
    fresh_ledger ledger(a);
    access(ledger, a, reading);
    CHECK(waits_of(ledger, b, reading) == 0);
    CHECK(waits_of(ledger, b, writing) == 1);
    CHECK(waits_of(ledger, a, reading) == 1);
    CHECK(waits_of(ledger, a, reading) == 0);
    CHECK(waits_of(ledger, c, reading) == 1);
    CHECK(waits_of(ledger, b, reading) == 0);
    CHECK(waits_of(ledger, b, writing) == 2);  // for both who read
    CHECK(waits_of(ledger, b, writing) == 0);
    CHECK(waits_of(ledger, a, writing) == 1);
    pass(a);
    CHECK(waits_of(ledger, b, writing) == 0);
    CHECK(waits_of(ledger, c, reading) == 1);
}

TEST_CASE("a read that has waited waits again after another write") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    access(ledger, a, writing);
    CHECK(waits_of(ledger, b, reading) == 1);
    access(ledger, a, writing);
    CHECK(waits_of(ledger, b, reading) == 1);
    CHECK(waits_of(ledger, b, reading) == 0);
}

TEST_CASE("a block that has crossed, or a precise stream, records each end once") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    CHECK(records_of(ledger, a, writing) == 0);
    CHECK(records_of(ledger, b, writing) == 2);  // to be met, and its own
    CHECK(records_of(ledger, b, writing) == 1);
    CHECK(records_of(ledger, a, writing) == 1);
    fresh_ledger from_birth(a, true);
    CHECK(records_of(from_birth, a, writing) == 1);
    fresh_ledger of_precise(a);
    a->records_each = true;
    CHECK(records_of(of_precise, a, reading) == 1);
    a->records_each = false;
    CHECK(records_of(of_precise, a, reading) == 0);
}

TEST_CASE("a block that meets nobody does not begin to record") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    access(ledger, a, writing);
    pass(a);
    CHECK(records_of(ledger, b, writing) == 0);
    CHECK(records_of(ledger, b, writing) == 0);
    fresh_ledger read(a);
    access(read, a, reading);
    CHECK(records_of(read, b, reading) == 0);
    CHECK(records_of(read, a, reading) == 0);
}

TEST_CASE("a block that has crossed remembers it with its next owner") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    access(ledger, a, writing);
    access(ledger, b, writing);
    pass(a);
    ledger.begin_on(*b, false);
    CHECK(records_of(ledger, b, writing) == 1);
    ledger.begin_on(*b, false);  // already its only user
    CHECK(records_of(ledger, b, writing) == 1);
    fresh_ledger lazy(a);
    access(lazy, a, reading);
    lazy.begin_on(*a, true);
    CHECK(records_of(lazy, a, reading) == 1);
    fresh_ledger other(a);
    other.begin_on(*a, false);
    CHECK(records_of(other, a, reading) == 0);
}

TEST_CASE("the next owner's stream keeps its own uses, and those of others are forgotten") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    access(ledger, a, writing);
    access(ledger, b, reading);
    pass(b);
    ledger.begin_on(*a, false);
    CHECK(pending(ledger) == std::vector<const stream_state*>{&*a});
    CHECK(waits_of(ledger, b, writing) == 1);
    pass(a);
    const fake_stream c;
    ledger.begin_on(*c, false);
    CHECK(pending(ledger).empty());
    access(ledger, c, writing);
    CHECK(pending(ledger) == std::vector<const stream_state*>{&*c});
}

TEST_CASE("the host waits for what conflicts, each once, and forgets what it need not know") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    access_ledger unused;
    CHECK_FALSE(unused.has_uses());
    CHECK(host_waits_of(unused, writing) == 0);
    fresh_ledger ledger(a);
    CHECK(ledger.has_uses());
    access(ledger, a, reading);
    CHECK(host_waits_of(ledger, reading) == 0);
    access(ledger, b, reading);
    CHECK(host_waits_of(ledger, reading) == 0);
    CHECK(host_waits_of(ledger, writing) == 2);
    CHECK(host_waits_of(ledger, writing) == 0);
    CHECK_FALSE(ledger.has_uses());  // nobody has to look again
    access(ledger, a, writing);
    CHECK(host_waits_of(ledger, reading) == 1);
    access(ledger, a, writing);
    access(ledger, b, reading);
    CHECK(host_waits_of(ledger, reading) == 1);
    CHECK(ledger.has_uses());
    fake_backend::on_event_wait = failed;
    CHECK_THROWS_AS(ledger.wait_on_host(writing, "test"), devmem::error);
}

TEST_CASE("an access that is open elsewhere is refused by what it does, and where") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    ledger.open(*a, reading, "test");
    CHECK(refusal_of(ledger, b, reading).empty());
    std::string said = refusal_of(ledger, b, writing);
    CHECK(has(said, "to be written while it is still being read on cpu:"));
    CHECK(has(said, "stream " + std::to_string(a->id.load_relaxed())));
    CHECK(refusal_of(ledger, a, writing).empty());
    CHECK(refusal_on_host(ledger, reading).empty());
    CHECK_FALSE(refusal_on_host(ledger, writing).empty());
    ledger.open(*a, writing, "test");
    CHECK(has(refusal_of(ledger, b, reading), "to be read while it is still being written on"));
    CHECK(has(refusal_of(ledger, b, writing), "to be written while it is still being written on"));
    CHECK_FALSE(refusal_on_host(ledger, reading).empty());
    CHECK_FALSE(ledger.close(*a, writing));
    CHECK_FALSE(ledger.close(*a, reading));
    CHECK(refusal_of(ledger, b, writing).empty());
}

TEST_CASE("a wait that fails opens nothing") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    access(ledger, a, writing);
    fake_backend::on_stream_wait = failed;
    CHECK_THROWS_AS(ledger.open(*b, writing, "test"), devmem::error);
    fake_backend::on_stream_wait = {};
    CHECK(waits_of(ledger, a, writing) == 0);
    CHECK(waits_of(ledger, b, writing) == 1);
}

TEST_CASE("streams of another kind of device are waited for by the host") {
    fake_backend::reset();
    devmem::backend_table other = devmem_test::fake_table;
    ++other.version;  // tables are told apart by it
    const fake_stream a;
    const fake_stream b;
    const fake_stream alike;
    b->table = &other;
    fresh_ledger ledger(a);
    access(ledger, a, writing);
    access(ledger, b, reading);
    CHECK(fake_backend::stream_waits == 0);
    CHECK(fake_backend::event_waits == 1);
    CHECK(waits_of(ledger, alike, reading) == 0);  // it has passed
    access(ledger, a, writing);
    CHECK(fake_backend::event_waits == 2);
    fake_backend::on_event_wait = failed;
    CHECK_THROWS_AS(ledger.open(*b, reading, "test"), devmem::error);
    b->table = &devmem_test::fake_table;
}

TEST_CASE("as many accesses may be open as there are, and all are counted") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    for (const access_mode mode : {reading, writing}) {
        fresh_ledger ledger(a);
        constexpr std::uint64_t many = ledger_word::most_open + 3;
        for (std::uint64_t i = 0; i < many; ++i) ledger.open(*a, mode, "test");
        CHECK_FALSE(refusal_of(ledger, b, writing).empty());
        ledger.open(*a, mode == reading ? writing : reading, "test");
        CHECK_FALSE(ledger.close(*a, mode == reading ? writing : reading));
        for (std::uint64_t i = 1; i < many; ++i) ledger.close(*a, mode);
        CHECK_FALSE(refusal_of(ledger, b, writing).empty());
        ledger.close(*a, mode);
        CHECK(refusal_of(ledger, b, writing).empty());
        CHECK(ledger.let_go());
    }
}

TEST_CASE("who lets a block go while it is in use leaves it to the last access") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger unused(a);
    CHECK(unused.let_go());
    fresh_ledger ledger(a);
    access(ledger, a, writing);
    CHECK(ledger.let_go());
    ledger.begin_on(*a, false);
    ledger.open(*a, reading, "test");
    ledger.open(*a, reading, "test");
    CHECK_FALSE(ledger.let_go());
    CHECK_FALSE(ledger.close(*a, reading));
    CHECK(ledger.close(*a, reading));
    // The same on several streams, in any order.
    for (const bool other_first : {true, false}) {
        fresh_ledger of_two(a);
        of_two.open(*a, reading, "test");
        of_two.open(*b, reading, "test");
        CHECK_FALSE(of_two.let_go());
        const fake_stream& first = other_first ? b : a;
        const fake_stream& second = other_first ? a : b;
        CHECK_FALSE(of_two.close(*first, reading));
        CHECK(of_two.close(*second, reading));
    }
    fresh_ledger crossed(a);
    access(crossed, a, reading);
    access(crossed, b, reading);
    CHECK(crossed.let_go());
    CHECK_FALSE(crossed.close((crossed.open(*a, reading, "test"), *a), reading));
}

TEST_CASE("all that has not passed is waited for, and the first failure told") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    access(ledger, a, reading);
    access(ledger, b, reading);
    CHECK(pending(ledger).size() == 2);
    CHECK_FALSE(ledger.is_ready_for(&*a));
    pass(b);
    CHECK(ledger.is_ready_for(&*a));
    CHECK(ledger.settle().ok());
    CHECK(fake_backend::event_waits == 1);
    CHECK(ledger.settle().ok());
    CHECK(fake_backend::event_waits == 1);
    access(ledger, a, reading);
    access(ledger, b, reading);
    fake_backend::on_event_wait = failed;
    const status first = ledger.settle();
    CHECK(first.code == failed.code);
    CHECK(first.native == 1);
    CHECK(fake_backend::event_waits == 3);
}

TEST_CASE("uses of others are forgotten once there are many that have passed") {
    fake_backend::reset();
    const fake_stream s[6];
    fresh_ledger ledger(s[0]);
    for (int i = 0; i < 5; ++i) access(ledger, s[i], reading);
    for (int i = 0; i < 4; ++i) pass(s[i]);
    access(ledger, s[5], reading);
    // Ticks beyond those known: only streams that are still in the list would be waited for.
    int uses = 0;
    for (int i = 0; i < 6; ++i) s[i]->passed.store_relaxed(0);
    ledger.for_each_pending([&uses](const stream_mark&) { ++uses; });
    CHECK(uses == 2);
}

TEST_CASE("few uses are kept, so that those who come back need not be added again") {
    fake_backend::reset();
    const fake_stream s[5];
    fresh_ledger ledger(s[0]);
    for (int i = 0; i < 4; ++i) access(ledger, s[i], reading);
    for (int i = 0; i < 4; ++i) pass(s[i]);
    access(ledger, s[4], reading);
    int uses = 0;
    for (int i = 0; i < 5; ++i) s[i]->passed.store_relaxed(0);
    ledger.for_each_pending([&uses](const stream_mark&) { ++uses; });
    CHECK(uses == 5);
}

TEST_CASE("after a write the earlier uses of others are forgotten, but not what is still open") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    const fake_stream c;
    fresh_ledger ledger(a);
    access(ledger, a, reading);
    access(ledger, b, writing);
    for (const fake_stream* s : {&a, &b}) (*s)->passed.store_relaxed(0);
    CHECK(pending(ledger) == std::vector<const stream_state*>{&*b});
    CHECK(waits_of(ledger, c, reading) == 1);
    CHECK(waits_of(ledger, a, writing) == 2);
}

TEST_CASE("in manual order nobody waits, and what was done is known when that ends") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    access(ledger, a, writing);
    CHECK(waits_of(ledger, b, reading) == 1);
    ledger.set_manual(true);
    CHECK(waits_of(ledger, a, writing) == 0);
    CHECK(waits_of(ledger, b, writing) == 0);
    CHECK(host_waits_of(ledger, writing) == 0);
    ledger.set_manual(false);
    CHECK(waits_of(ledger, b, reading) == 1);
    CHECK(host_waits_of(ledger, writing) > 0);
    fresh_ledger other(a);
    access(other, a, writing);
    other.set_manual(true);
    other.set_manual(false);
    CHECK(waits_of(other, b, reading) == 1);
    fresh_ledger let_go(a);
    let_go.set_manual(true);
    CHECK(let_go.let_go());
    let_go.begin_on(*a, false);
    access(let_go, a, writing);
    CHECK(waits_of(let_go, b, writing) == 1);
}

TEST_CASE("in manual order a read does not make others wait again for writes that they know") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    access(ledger, a, writing);
    CHECK(waits_of(ledger, b, reading) == 1);
    ledger.set_manual(true);
    access(ledger, a, reading);
    ledger.set_manual(false);
    CHECK(waits_of(ledger, b, reading) == 0);
}

TEST_CASE("only where order is checked is manual order judged") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    ledger.set_manual(true);
    access(ledger, a, writing);
    CHECK(refusal_of(ledger, b, reading).empty());
    CHECK(refusal_on_host(ledger, reading).empty());
    const checking on;
    const fake_stream c;
    access(ledger, a, writing);
    CHECK(has(refusal_of(ledger, c, reading), "a read after a write"));
    CHECK(has(refusal_on_host(ledger, writing), "the host"));
    fresh_ledger automatic(a);
    access(automatic, a, writing);
    CHECK(refusal_of(automatic, c, reading).empty());
    CHECK(refusal_on_host(automatic, writing).empty());
}

TEST_CASE("where order is checked each access leaves its name") {
    fake_backend::reset();
    const checking on;
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    ledger.set_manual(true);
    ledger.open(*a, writing, "the writer");
    ledger.close(*a, writing);
    CHECK(has(refusal_of(ledger, b, writing), "the writer"));
    ledger.open(*a, reading, "the reader");
    ledger.close(*a, reading);
    CHECK(has(refusal_of(ledger, b, writing), "the reader"));
    CHECK(has(refusal_of(ledger, b, reading), "the writer"));
}

TEST_CASE("an access that has passed is known to the stream that did not have to wait") {
    fake_backend::reset();
    const checking on;
    const fake_stream a;
    const fake_stream b;
    fresh_ledger automatic(a);
    access(automatic, a, writing);
    fresh_ledger by_hand(a);
    by_hand.set_manual(true);
    access(by_hand, a, writing);
    access(automatic, a, writing);
    pass(a);
    CHECK(has(refusal_of(by_hand, b, reading), "a read after a write"));
    CHECK(waits_of(automatic, b, reading) == 0);
    CHECK(refusal_of(by_hand, b, reading).empty());
}

TEST_CASE("where order is checked uses are not forgotten, since others may not come after them") {
    fake_backend::reset();
    const checking on;
    const fake_stream s[7];
    fresh_ledger ledger(s[0]);
    ledger.set_manual(true);
    for (int i = 0; i < 6; ++i) access(ledger, s[i], reading);
    for (int i = 0; i < 6; ++i) pass(s[i]);
    CHECK(has(refusal_of(ledger, s[6], writing), "a write after a read"));
}

TEST_CASE("an address that was given out is used until the block is let go") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    for (const access_mode mode : {reading, writing}) {
        fresh_ledger ledger(a);
        ledger.open_raw(*a, mode, "test");
        CHECK(refusal_of(ledger, b, writing).empty());  // it is not open
        CHECK(waits_of(ledger, a, reading) == 1);
        const int waits = waits_of(ledger, b, reading);
        CHECK(waits == (mode == writing ? 1 : 0));
        CHECK(waits_of(ledger, b, reading) == waits);  // there may be more of it
        CHECK(waits_of(ledger, b, writing) == 1);
        CHECK(host_waits_of(ledger, writing) == 2);
        CHECK(host_waits_of(ledger, reading) == (mode == writing ? 1 : 0));
        pass(a);
        pass(b);
        CHECK(ledger.is_ready_for(nullptr));
        CHECK(ledger.let_go());
        CHECK(pending(ledger) == std::vector<const stream_state*>{&*a});  // up to now
        pass(a);
        CHECK(ledger.let_go());
        CHECK(ledger.is_ready_for(nullptr));
    }
}

TEST_CASE("uses of an address are kept, though they seem to have passed") {
    fake_backend::reset();
    const fake_stream s[7];
    for (const access_mode mode : {reading, writing}) {
        fresh_ledger ledger(s[0]);
        ledger.open_raw(*s[0], mode, "test");
        for (int i = 1; i < 7; ++i) access(ledger, s[i], reading);
        for (const fake_stream& each : s) pass(each);
        CHECK(host_waits_of(ledger, writing) == 1);
        CHECK(host_waits_of(ledger, writing) == 1);
        access(ledger, s[1], writing);
        CHECK(waits_of(ledger, s[2], writing) == 2);
    }
}

TEST_CASE("a use of an address ends with its stream, and is recorded where that is borrowed") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    ledger.open_raw(*a, writing, "test");
    const std::uint64_t tick = a->tick.load_relaxed();
    a->is_borrowed = true;
    const int records = fake_backend::records;
    CHECK(waits_of(ledger, b, reading) == 1);
    CHECK(a->tick.load_relaxed() == tick + 1);
    CHECK(fake_backend::records >= records + 1);
    a->is_borrowed = false;
    a->has_ended = true;
    CHECK(waits_of(ledger, b, reading) == 1);
    CHECK(a->tick.load_relaxed() == tick + 1);
    a->has_ended = false;
    const int before = fake_backend::records;
    CHECK_FALSE(ledger.let_go() == false);
    CHECK(a->tick.load_relaxed() == tick + 2);
    CHECK(fake_backend::records == before);  // it is recorded when somebody waits
}

TEST_CASE(
    "a block that is split refuses accesses, and its parts come after what was done with it") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger whole(a);
    access(whole, a, writing);
    whole.split("test");
    CHECK(fake_backend::records == 1);
    CHECK(has(refusal_of(whole, a, reading), "it is split"));
    CHECK_FALSE(refusal_on_host(whole, reading).empty());
    CHECK_THROWS_AS(whole.split("test"), access_conflict);
    std::size_t left = 2;
    {
        access_ledger first;
        first.inherit(whole);
        CHECK(waits_of(first, b, reading) == 1);
        CHECK(records_of(first, b, reading) == 1);
        CHECK(waits_of(first, b, reading) == 0);
        access_ledger second;
        second.inherit(whole);
        CHECK(waits_of(second, a, writing) == 0);
        CHECK(waits_of(second, b, writing) == 1);
        CHECK(whole.merge(first, left) == 1);
        CHECK(whole.merge(second, left) == 0);
    }
    CHECK_FALSE(whole.unsplit());
    CHECK(waits_of(whole, a, writing) == 1);
    CHECK(records_of(whole, a, writing) == 1);
}

TEST_CASE(
    "parts inherit manual order and addresses given out, and addresses of theirs are merged") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger whole(a);
    access(whole, a, writing);
    whole.set_manual(true);
    whole.split("test");
    access_ledger part;
    part.inherit(whole);
    CHECK(waits_of(part, b, writing) == 0);
    part.open_raw(*b, writing, "test");
    std::size_t left = 1;
    CHECK(whole.merge(part, left) == 0);
    CHECK_FALSE(whole.unsplit());
    whole.set_manual(false);
    CHECK(waits_of(whole, a, reading) == 1);
    CHECK(waits_of(whole, a, reading) == 1);

    whole.split("test");
    access_ledger second;
    second.inherit(whole);
    CHECK(waits_of(second, a, reading) == 1);
    CHECK(waits_of(second, a, reading) == 1);
    left = 1;
    whole.merge(second, left);
    whole.unsplit();
}

TEST_CASE("a block that is let go while it is split goes with its last part and access") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger whole(a);
    access(whole, a, writing);
    whole.split("test");
    CHECK_FALSE(whole.let_go());
    access_ledger part;
    part.inherit(whole);
    part.open(*a, writing, "test");
    part.close(*a, writing);
    std::size_t left = 1;
    CHECK(whole.merge(part, left) == 0);
    CHECK(whole.unsplit());

    fresh_ledger open(a);
    open.open(*a, reading, "test");
    access(open, b, reading);
    CHECK_THROWS_AS(open.split("test"), access_conflict);
    CHECK(open.close(*a, reading) == false);
    open.split("test");
    CHECK_FALSE(open.let_go());
    CHECK(open.unsplit());
}

TEST_CASE("where there is no memory to merge a part's uses, they are waited for") {
    fake_backend::reset();
    const fake_stream a;
    fresh_ledger whole(a);
    access(whole, a, writing);
    whole.split("test");
    access_ledger part;
    part.inherit(whole);
    const fake_stream s[4];
    for (const fake_stream& each : s) access(part, each, reading);
    std::size_t left = 1;
    {
        const devmem_test::no_memory none;  // beyond the few that a list has room for
        CHECK(whole.merge(part, left) == 0);
    }
    CHECK(fake_backend::event_waits == 3);
    CHECK(pending(whole).size() == 2);
    CHECK_FALSE(whole.unsplit());
}

TEST_CASE("a list of uses asks for memory once there are more than a few, and gives it back") {
    const fake_stream s[5];
    const std::ptrdiff_t before = devmem_test::arrays_alive();
    {
        use_list uses;
        {
            const devmem_test::no_memory none;
            uses.find_or_add(*s[0]);
            uses.find_or_add(*s[1]);
            CHECK_THROWS_AS(uses.find_or_add(*s[2]), std::bad_alloc);
        }
        for (const fake_stream& each : s) uses.find_or_add(*each);
        CHECK(devmem_test::arrays_alive() == before + 1);
    }
    CHECK(devmem_test::arrays_alive() == before);
}

TEST_CASE("what is asked of a list leaves the rest of it alone") {
    const fake_stream a;
    const fake_stream b;
    use_list uses;
    stream_use& of_a = uses.find_or_add(*a);
    stream_use& of_b = uses.find_or_add(*b);
    of_a.write_tick = a.work().tick;
    of_b.write_tick = b.work().tick;
    CHECK(first_pending(uses, reading).stream == &*a);
    of_b.raw_writes = true;
    of_b.raw_id = b->id.load_relaxed();
    of_a.raw_id = a->id.load_relaxed();  // given out once, and over
    of_a.has_waited = true;
    const std::uint64_t tick = a->tick.load_relaxed();
    mark_raw(uses);
    CHECK(a->tick.load_relaxed() == tick);
    CHECK(of_b.write_tick == b->tick.load_relaxed());
    CHECK(of_b.read_tick == 0);
    CHECK_FALSE(of_a.has_waited);
    of_b.raw_writes = false;
    supersede(uses, *b);
    CHECK(uses.size() == 1);
    CHECK(uses.begin()->stream == &*b);
    CHECK(uses.begin()->write_tick == b->tick.load_relaxed());
}

TEST_CASE("a stream's own use is kept, whoever used the block before") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    const fake_stream c;
    fresh_ledger ledger(c);
    access(ledger, c, reading);
    access(ledger, a, reading);
    ledger.begin_on(*a, false);
    CHECK(pending(ledger) == std::vector<const stream_state*>{&*a});
    CHECK(waits_of(ledger, b, writing) == 1);
}

TEST_CASE("a read among many is not taken for a write, nor many writes for anything else") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger read(a);
    for (std::uint64_t i = 0; i < ledger_word::most_open + 1; ++i) read.open(*a, reading, "test");
    CHECK(refusal_of(read, b, reading).empty());
    CHECK_FALSE(refusal_of(read, b, writing).empty());
    fresh_ledger written(a);
    const std::uint64_t many = 4 * (ledger_word::most_open + 1);
    for (std::uint64_t i = 0; i < many; ++i) written.open(*a, writing, "test");
    CHECK(refusal_of(written, a, reading).empty());
    for (std::uint64_t i = 1; i < many; ++i) written.close(*a, writing);
    CHECK_FALSE(refusal_of(written, b, reading).empty());
    written.close(*a, writing);
    CHECK(refusal_of(written, b, reading).empty());
}

TEST_CASE("threads that read at once on one stream open and close each their own") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    const auto read = [&] {
        for (int i = 0; i < 400'000; ++i) {
            ledger.open(*a, reading, "test");
            ledger.open(*a, reading, "test");
            ledger.close(*a, reading);
            ledger.close(*a, reading);
        }
    };
    std::thread other(read);
    read();
    other.join();
    CHECK(refusal_of(ledger, b, writing).empty());
    access(ledger, a, reading);
    CHECK(ledger.let_go());
}

TEST_CASE("a tick that was raised meanwhile is not lowered by who packs the uses of that stream") {
    struct bare_state : ledger_state {
        void run() {
            const fake_stream a;
            const fake_stream b;
            stream_use& use = uses_.find_or_add(*a);
            use.read_tick = 5;
            use.write_tick = 6;
            pack(0);
            CHECK(read_tick_.load_relaxed() == 5);
            CHECK(write_tick_.load_relaxed() == 6);
            spread();
            raise_to(read_tick_, 9);  // by who closes an access without the lock
            raise_to(write_tick_, 8);
            pack(0);
            CHECK(read_tick_.load_relaxed() == 9);
            CHECK(write_tick_.load_relaxed() == 8);
            // Another stream's ticks are its own.
            uses_.keep_only({.stream = &*b, .read_tick = 1});
            pack(0);
            CHECK(read_tick_.load_relaxed() == 1);
            CHECK(write_tick_.load_relaxed() == 0);
        }
    };
    bare_state().run();
}

TEST_CASE("in a forked child an access ends without a record") {
    fake_backend::reset();
    const fake_stream a;
    fresh_ledger ledger(a, true);
    ledger.open(*a, reading, "test");
    const int before = fake_backend::records;
    {
        const devmem_test::as_forked_child child;
        CHECK_FALSE(ledger.close(*a, reading));
    }
    CHECK(fake_backend::records == before);
    CHECK_FALSE(ledger.close(*a, reading));
    CHECK(fake_backend::records == before + 1);
}

TEST_CASE("an address that was given out on a stream that is gone is not used any more") {
    fake_backend::reset();
    const fake_stream s;
    use_list uses;
    stream_use& use = uses.find_or_add(*s);
    use.raw_reads = use.raw_writes = true;
    use.raw_id = s->id.load_relaxed() - 1;
    const std::uint64_t tick = s->tick.load_relaxed();
    mark_raw(uses);
    CHECK(s->tick.load_relaxed() == tick);
    CHECK_FALSE(use.raw_reads);
    CHECK_FALSE(use.raw_writes);
    use.raw_reads = true;
    use.raw_id = s->id.load_relaxed();
    s->is_borrowed = true;
    s->has_ended = true;  // nothing is recorded by a handle that may be dead
    mark_raw(uses);
    CHECK(fake_backend::records == 0);
    CHECK(use.raw_reads);
}

TEST_CASE("in manual order nobody asks how far work on an address has got") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a);
    ledger.open_raw(*a, writing, "test");
    ledger.set_manual(true);
    const std::uint64_t tick = a->tick.load_relaxed();
    access(ledger, b, reading);
    ledger.wait_on_host(reading, "test");
    CHECK(a->tick.load_relaxed() == tick);
}

TEST_CASE("a first use that is queued already is recorded where each is") {
    fake_backend::reset();
    const fake_stream a;
    fresh_ledger lazy(a);
    lazy.use_now(*a);
    CHECK(fake_backend::records == 0);
    CHECK(pending(lazy).size() == 1);
    a->records_each = true;
    fresh_ledger precise(a);
    precise.use_now(*a);
    CHECK(fake_backend::records == 1);
}

TEST_CASE("the host comes after an access that has passed when it touches the memory") {
    fake_backend::reset();
    const checking on;
    const fake_stream a;
    fresh_ledger automatic(a);
    fresh_ledger by_hand(a);
    by_hand.set_manual(true);
    access(by_hand, a, writing);
    access(automatic, a, writing);
    pass(a);
    CHECK(has(refusal_on_host(by_hand, reading), "a read after a write"));
    CHECK(refusal_on_host(automatic, reading).empty());
    CHECK(refusal_on_host(by_hand, reading).empty());
}

TEST_CASE("in a host callback no access is opened, and one that ends is recorded later") {
    fake_backend::reset();
    const fake_stream a;
    const fake_stream b;
    fresh_ledger ledger(a, true);
    ledger.open(*a, writing, "test");
    fake_backend::is_in_callback = true;
    CHECK_THROWS_AS(ledger.open(*b, reading, "test"), devmem::not_permitted);
    CHECK_FALSE(ledger.close(*a, writing));
    CHECK(fake_backend::records == 0);
    fake_backend::is_in_callback = false;
    CHECK(waits_of(ledger, b, reading) == 1);
}
