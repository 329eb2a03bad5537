// How blocks are obtained and let go, down to the single call of the backend.
#include "captured_texts.hpp"
#include "fake_backend.hpp"

#include <devmem/error.hpp>
#include <devmem/memory/obtain.hpp>
#include <devmem/memory/slices.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace devmem::detail;
using devmem::error_code;
using devmem::memory_space;
using devmem::status;
using devmem_test::fake_backend;
using devmem_test::fake_device;
using devmem_test::fake_stream;
using devmem_test::fake_table;

namespace {

constexpr auto on_device = memory_space::device;
constexpr status failed{error_code::backend_failure, 7};
constexpr status lost{error_code::device_lost, 7};
constexpr status no_room{error_code::out_of_memory, 7};

/// What a test leaves is given back at its end.
struct clean {
    clean() { fake_backend::reset(); }
    ~clean() {
        fake_backend::reset();
        fake_backend::events_done_to = std::numeric_limits<int>::max();
        fake_backend::stream_is_done = true;
        static_cast<void>(reclaim_and_wait());
        for (const auto space : {on_device, memory_space::pinned}) {
            static_cast<void>(give_back_cached(fake_device, space));
            const memory_pool& pool = pool_of(fake_device, space);
            CHECK(pool.cached() == 0);
            CHECK(pool.live() == 0);
        }
        CHECK(reclaimable.take(1) == nullptr);
    }
    clean(const clean&) = delete;
    clean& operator=(const clean&) = delete;
};

block& pooled(const fake_stream& s, std::size_t bytes = 1000, memory_space space = on_device) {
    return obtain_pooled(fake_table, fake_device, space, bytes, *s, "test");
}
block& direct(const fake_stream& s, std::size_t bytes = 1000) {
    return obtain_direct(fake_table, fake_device, on_device, bytes, *s, "test");
}
block& ordered(const fake_stream& s) {
    return obtain_stream_ordered(fake_table, fake_device, on_device, 1000, *s, "test");
}

void use(const block& b, const fake_stream& s) {
    const scoped_access access(&b, *s, access_mode::write, "test");
}

void read(const block& b, const fake_stream& s) {
    const scoped_access access(&b, *s, access_mode::read, "test");
}

void release(block& b) { b.release(&b); }

std::size_t cached(memory_space space = on_device) { return pool_of(fake_device, space).cached(); }

/// What is put off, in its order; it stays so.
std::vector<const block*> put_off() {
    std::vector<const block*> all;
    for (block* b = reclaimable.take(all_put_off); b != nullptr;) {
        block* const next = b->next;
        all.push_back(b);
        reclaimable.push(*b);
        b = next;
    }
    return all;
}

bool is_put_off(const block& b) {
    for (const block* each : put_off()) {
        if (each == &b) return true;
    }
    return false;
}

template <class F>
error_code refusal_of(const F& f, std::string* message = nullptr) {
    try {
        f();
    } catch (const devmem::error_info& e) {
        if (message != nullptr) *message = e.message();
        return e.code();
    }
    FAIL_CHECK("nothing was thrown");
    return {};
}

}  // namespace

TEST_CASE("a cached block goes to its stream at once, and to another once its uses have passed") {
    const clean check;
    const fake_stream a;
    const fake_stream b;
    block& first = pooled(a);
    use(first, a);
    release(first);
    CHECK(&pooled(a) == &first);
    CHECK(fake_backend::stream_queries == 0);
    use(first, a);
    release(first);
    block& second = pooled(b);
    CHECK(&second != &first);
    CHECK(fake_backend::stream_queries == 1);
    fake_backend::stream_is_done = true;
    block& third = pooled(b);
    CHECK(&third == &first);
    CHECK(fake_backend::stream_queries == 2);
    CHECK(fake_backend::asked == 2);
    CHECK(fake_backend::freed == 0);
    release(second);
    release(third);
}

TEST_CASE("memory that the host may touch must have been passed by its own stream too") {
    const clean check;
    const fake_stream a;
    block& first = pooled(a, 1000, memory_space::pinned);
    use(first, a);
    release(first);
    block& second = pooled(a, 1000, memory_space::pinned);
    CHECK(&second != &first);
    fake_backend::events_done_to = fake_backend::clock;
    block& third = pooled(a, 1000, memory_space::pinned);
    CHECK(&third == &first);
    use(third, a);
    CHECK(fake_backend::records == 2);  // each access of such memory is recorded
    release(second);
    release(third);
}

TEST_CASE("a block of another class is not given, whatever it is") {
    const clean check;
    const fake_stream a;
    block& first = pooled(a, 1000);
    release(first);
    block& second = pooled(a, 3000);
    CHECK(&second != &first);
    CHECK(fake_backend::asked_for[0] == 1024);
    CHECK(fake_backend::asked_for[1] == 3072);
    CHECK(second.requested == 3000);
    release(second);
}

TEST_CASE("before more is given back, a cached block of the class is waited for") {
    const clean check;
    const fake_stream a;
    const fake_stream b;
    block& first = pooled(a);
    block& other = pooled(a, 5000);
    use(first, a);
    release(first);
    release(other);
    fake_backend::refused = 100;
    fake_backend::on_allocate = no_room;
    block& second = pooled(b);
    CHECK(&second == &first);
    CHECK(fake_backend::event_waits == 1);
    CHECK(fake_backend::freed == 0);
    CHECK(fake_backend::asked == 3);
    release(second);
}

TEST_CASE("what could not be waited for stays cached, and the rest makes room") {
    const clean check;
    const fake_stream a;
    const fake_stream b;
    block& first = pooled(a);
    block& other = pooled(a, 5000);
    use(first, a);
    release(first);
    release(other);
    fake_backend::on_event_wait = failed;
    fake_backend::asked = 0;
    fake_backend::refused = 1;
    block& second = pooled(b);
    CHECK(&second != &first);
    CHECK(fake_backend::freed == 1);  // the other
    CHECK(fake_backend::asked == 2);
    CHECK(cached() == 1024);
    release(second);
}

TEST_CASE("at last no more is asked for than is wanted, and such a block serves nobody else") {
    const clean check;
    const fake_stream a;
    fake_backend::refused = 2;
    block& small = pooled(a, 1000);
    CHECK(fake_backend::asked == 3);
    CHECK(fake_backend::asked_for[0] == 1024);
    CHECK(fake_backend::asked_for[1] == 1024);
    CHECK(fake_backend::asked_for[2] == 1000);
    release(small);
    CHECK(fake_backend::freed == 1);
    CHECK(cached() == 0);
    fake_backend::asked = 0;
    fake_backend::refused = 100;
    CHECK(refusal_of([&] { pooled(a, 1024); }) == error_code::out_of_memory);
    CHECK(fake_backend::asked == 2);  // there is no less of it to ask for
}

TEST_CASE("only where memory is short is anything given back") {
    const clean check;
    const fake_stream a;
    release(pooled(a, 5000));
    fake_backend::asked = 0;
    fake_backend::refused = 100;
    fake_backend::on_allocate = failed;
    CHECK(refusal_of([&] { pooled(a); }) == failed.code);
    CHECK(refusal_of([&] { direct(a); }) == failed.code);
    CHECK(refusal_of([&] { ordered(a); }) == failed.code);
    CHECK(fake_backend::asked == 3);
    CHECK(fake_backend::freed == 0);
    fake_backend::asked = 0;
    fake_backend::refused = 1;
    fake_backend::on_allocate = no_room;
    release(direct(a));
    CHECK(fake_backend::asked == 2);
    CHECK(fake_backend::freed == 2);
    release(pooled(a, 5000));
    fake_backend::asked = 0;
    fake_backend::refused = 1;
    release(ordered(a));
    CHECK(fake_backend::asked == 2);
    CHECK(fake_backend::freed == 3);
}

TEST_CASE("after failing for want of room another failure is final") {
    const clean check;
    const fake_stream a;
    fake_backend::refused = 100;
    fake_backend::on_allocate = no_room;
    fake_backend::on_allocate_again = failed;
    CHECK(refusal_of([&] { pooled(a); }) == failed.code);
    CHECK(fake_backend::asked == 2);
    fake_backend::on_allocate_again = {};
}

TEST_CASE("a device that is lost is not asked for memory again") {
    const clean check;
    const fake_stream a;
    const auto cache_one = [&a] {
        fake_backend::refused = 0;
        release(pooled(a, 5000));
        fake_backend::asked = 0;
        fake_backend::refused = 100;
    };
    fake_backend::on_free = lost;
    cache_one();
    CHECK(refusal_of([&] { pooled(a); }) == error_code::device_lost);
    CHECK(fake_backend::asked == 1);
    cache_one();
    CHECK(refusal_of([&] { ordered(a); }) == error_code::device_lost);
    CHECK(fake_backend::asked == 1);
    fake_backend::on_free = failed;
    cache_one();
    CHECK(refusal_of([&] { direct(a); }) == error_code::out_of_memory);
    CHECK(fake_backend::asked == 2);
}

TEST_CASE("a size that has no class is asked for as it is") {
    const clean check;
    const fake_stream a;
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    block& huge = pooled(a, most);
    CHECK(fake_backend::asked == 1);
    CHECK(fake_backend::asked_for[0] == most);
    release(huge);
    CHECK(fake_backend::freed == 1);
    fake_backend::asked = 0;
    fake_backend::refused = 100;
    CHECK(refusal_of([&] { pooled(a, most); }) == error_code::out_of_memory);
    CHECK(fake_backend::asked == 2);
}

TEST_CASE("a refusal tells what there is, as far as the backend knows") {
    const clean check;
    const fake_stream a;
    fake_backend::refused = 100;
    std::string said;
    refusal_of([&] { pooled(a); }, &said);
    CHECK(said.find("free 1.0 KiB of 4.0 KiB") != std::string::npos);
    refusal_of([&] { pooled(a, 1000, memory_space::pinned); }, &said);
    CHECK(said.find("free") == std::string::npos);
    fake_backend::on_info = failed;
    refusal_of([&] { pooled(a); }, &said);
    CHECK(said.find("free") == std::string::npos);
    CHECK(said.find("cached") != std::string::npos);
}

TEST_CASE("memory that is not pooled is given back once its uses have passed, without a wait") {
    const clean check;
    const fake_stream a;
    block& b = direct(a);
    use(b, a);
    release(b);
    CHECK(fake_backend::stream_queries == 1);
    CHECK(fake_backend::freed == 0);
    CHECK(is_put_off(b));
    fake_backend::stream_is_done = true;
    reclaim();
    CHECK(fake_backend::freed == 1);
    CHECK(fake_backend::event_waits == 0);
    CHECK(cached() == 0);
}

TEST_CASE("memory that cannot be given back stays, and that of a lost device is gone") {
    const clean check;
    const fake_stream a;
    const devmem_test::captured_destructor_errors reports;
    fake_backend::on_free = failed;
    release(direct(a));
    CHECK(cached() == 1000);
    CHECK(reports.all().size() == 1);
    fake_backend::on_free = {};
    CHECK(give_back_cached(fake_device, on_device).ok());
    CHECK(cached() == 0);
    fake_backend::on_free = lost;
    release(direct(a));
    CHECK(cached() == 0);
    release(pooled(a));
    CHECK(give_back_cached(fake_device, on_device).code == lost.code);
    CHECK(cached() == 0);
}

TEST_CASE("all that is cached is given back, the first failure is told, and the rest goes on") {
    const clean check;
    const fake_stream a;
    const devmem::device nowhere(fake_device.kind(), fake_device.index() - 3);
    CHECK(give_back_cached(nowhere, on_device).ok());
    block& first = pooled(a);
    block& second = pooled(a);
    block& used = pooled(a, 5000);
    use(used, a);
    for (block* b : {&first, &second, &used}) release(*b);
    fake_backend::on_event_wait = failed;
    status s = give_back_cached(fake_device, on_device);
    CHECK(s.code == failed.code);
    CHECK(fake_backend::freed == 2);
    CHECK(cached() == used.granted);
    fake_backend::on_event_wait = lost;  // nothing of it will run any more
    s = give_back_cached(fake_device, on_device);
    CHECK(s.ok());
    CHECK(cached() == 0);

    block& third = pooled(a);
    block& fourth = pooled(a);
    release(third);
    release(fourth);
    fake_backend::freed = 0;
    fake_backend::on_free = failed;
    s = give_back_cached(fake_device, on_device);
    CHECK(s.code == failed.code);
    CHECK(s.native == 1);
    CHECK(fake_backend::freed == 2);
}

TEST_CASE("what was put off is waited for where somebody asks for that") {
    const clean check;
    const fake_stream a;
    CHECK(reclaim_and_wait().ok());
    block& first = direct(a);
    block& second = direct(a);
    for (block* b : {&first, &second}) {
        use(*b, a);
        release(*b);
    }
    fake_backend::on_event_wait = failed;
    const status s = reclaim_and_wait();
    CHECK(s.code == failed.code);
    CHECK(s.native == 1);
    CHECK(fake_backend::event_waits == 2);
    CHECK(fake_backend::freed == 0);
    fake_backend::on_event_wait = {};
    CHECK(reclaim_and_wait().ok());
    CHECK(fake_backend::event_waits == 3);  // one passes both
    CHECK(fake_backend::freed == 2);
}

TEST_CASE("in a host callback a block is only put off") {
    const clean check;
    const fake_stream a;
    block& b = pooled(a);
    fake_backend::is_in_callback = true;
    release(b);
    CHECK(is_put_off(b));
    fake_backend::is_in_callback = false;
    CHECK(&pooled(a) == &b);
    CHECK_FALSE(is_put_off(b));
    release(b);
}

TEST_CASE("a block that is released while an access is open goes with that") {
    const clean check;
    const fake_stream a;
    block& b = pooled(a);
    {
        const scoped_access nothing(nullptr, *a, access_mode::read, "test");
        const scoped_access open(&b, *a, access_mode::read, "test");
        release(b);
        block& other = pooled(a);
        CHECK(&other != &b);
        release(other);
        read(b, a);
    }
    CHECK(fake_backend::asked == 2);
    CHECK(&pooled(a) == &b);
    release(b);
}

TEST_CASE("memory in the order of a stream goes in the order of the one that still uses it") {
    const clean check;
    const fake_stream a;
    const fake_stream b;
    block& of_a = ordered(a);
    release(of_a);  // it is there in the order of `a` only
    CHECK(fake_backend::freed_on_stream == 1);
    CHECK(fake_backend::freed_on == a->handle);
    block& of_b = ordered(a);
    use(of_b, b);
    CHECK(fake_backend::stream_waits == 1);
    release(of_b);
    CHECK(fake_backend::freed_on_stream == 2);
    CHECK(fake_backend::freed_on == b->handle);
    block& of_nobody = ordered(a);
    raise_to(a->passed, a->tick.load_relaxed());
    release(of_nobody);
    CHECK(fake_backend::freed_on_stream == 3);
    CHECK(fake_backend::freed_on == &fake_backend::a_default_stream);
    CHECK(cached() == 0);
}

TEST_CASE("memory in the order of a stream waits for several, and for handles not to be used") {
    const clean check;
    const fake_stream a;
    const fake_stream b;
    block& of_two = ordered(a);
    read(of_two, a);
    read(of_two, b);
    release(of_two);
    CHECK(is_put_off(of_two));
    raise_to(b->passed, b->tick.load_relaxed());
    reclaim();
    CHECK(fake_backend::freed_on_stream == 1);
    CHECK(fake_backend::freed_on == a->handle);
    const auto is_kept = [&](auto&& change, auto&& restore) {
        block& kept = ordered(a);
        change();
        release(kept);
        const bool is = is_put_off(kept);
        restore();
        raise_to(a->passed, a->tick.load_relaxed());
        reclaim();
        return is;
    };
    CHECK(is_kept([&] { a->is_borrowed = true; }, [&] { a->is_borrowed = false; }));
    CHECK(is_kept([&] { a->has_ended = true; }, [&] { a->has_ended = false; }));
    CHECK(is_kept([&] { a->where = devmem::device(fake_device.kind(), fake_device.index() - 3); },
                  [&] { a->where = fake_device; }));
    CHECK_FALSE(is_kept([] {}, [] {}));
}

TEST_CASE("memory that cannot be freed on a stream is kept, to be given back another way") {
    const clean check;
    const fake_stream a;
    const devmem_test::captured_destructor_errors reports;
    fake_backend::on_free = failed;
    release(ordered(a));
    CHECK(fake_backend::freed_on_stream == 1);
    CHECK(cached() == 1000);
    CHECK(reports.all().size() == 1);
    fake_backend::on_free = lost;
    release(ordered(a));
    CHECK(cached() == 1000);
    fake_backend::on_free = {};
    raise_to(a->passed, a->tick.load_relaxed());
    CHECK(give_back_cached(fake_device, on_device).ok());
    CHECK(fake_backend::freed == 1);

    block& b = ordered(a);
    raise_to(a->passed, a->tick.load_relaxed());
    fake_backend::on_default_stream = failed;
    const std::size_t reported = reports.all().size();
    release(b);
    CHECK(is_put_off(b));
    CHECK(reports.all().size() == reported + 1);
    fake_backend::on_default_stream = {};
    reclaim();
    CHECK(cached() == 0);
}

TEST_CASE("memory of another space in the order of a stream is direct") {
    const clean check;
    const fake_stream a;
    block& b =
        obtain_stream_ordered(fake_table, fake_device, memory_space::pinned, 1000, *a, "test");
    release(b);
    CHECK(fake_backend::freed_on_stream == 0);
    CHECK(fake_backend::freed == 1);
}

TEST_CASE("memory of the user's is let go once its uses have passed") {
    const clean check;
    const fake_stream a;
    int let_go = 0;
    const auto count = [&let_go](void*, std::size_t) noexcept { ++let_go; };
    block& b =
        make_foreign(fake_table, fake_device, on_device, fake_backend::addresses, 1000, *a, count);
    use(b, a);
    release(b);
    CHECK(let_go == 0);
    CHECK(is_put_off(b));
    fake_backend::stream_is_done = true;
    reclaim();
    CHECK(let_go == 1);
    release(
        make_foreign(fake_table, fake_device, on_device, fake_backend::addresses, 1000, *a, count));
    CHECK(let_go == 2);
}

TEST_CASE("the last part to go gives the block back, if its owner has gone") {
    const clean check;
    const fake_stream a;
    block& whole = pooled(a);
    {
        const slice_group none(nullptr, 3, "test");
        CHECK(none.slice(0) == nullptr);
        slice_group parts(&whole, 2, "test");
        CHECK(parts.slice(1) != nullptr);
        CHECK(parts.slice(0) != parts.slice(1));
        const slice_group moved(std::move(parts));
        release(whole);
        use(*moved.slice(0), a);
        block& other = pooled(a);
        CHECK(&other != &whole);
        release(other);
    }
    CHECK(fake_backend::asked == 2);
    CHECK(&pooled(a) == &whole);
    { const slice_group parts(&whole, 2, "test"); }
    read(whole, a);
    CHECK(fake_backend::asked == 2);
    release(whole);
}

TEST_CASE("streams that cached blocks wait for are told once each, as many as are worth asking") {
    const clean check;
    const fake_stream a;
    const fake_stream b;
    pending_streams all;
    all.add(&*a);
    all.add(&*b);
    all.add(&*a);
    CHECK(all.count == 2);
    const fake_stream more[20];
    for (const fake_stream& s : more) all.add(&*s);
    CHECK(all.count == pending_streams::most);
}

TEST_CASE("in a forked child what is let go is left as it is") {
    const clean check;
    const fake_stream a;
    block& b = pooled(a);
    const std::size_t live = pool_of(fake_device, on_device).live();
    {
        const devmem_test::as_forked_child child;
        release(b);
    }
    CHECK(pool_of(fake_device, on_device).live() == live);
    CHECK(cached() == 0);
    {
        slice_group parts(&b, 1, "test");
        const block* const part = parts.slice(0);
        {
            const devmem_test::as_forked_child child;
            const slice_group gone(std::move(parts));
        }
        CHECK_THROWS_AS(read(b, a), devmem::access_conflict);  // it has not been joined
        hand_on(const_cast<block&>(*part));
    }
    read(b, a);
    release(b);
}

TEST_CASE("what was put off comes back in its order, and is not looked at all at once") {
    const clean check;
    const fake_stream a;
    CHECK(reclaimable.take(1) == nullptr);
    block* all[20];
    for (block*& b : all) {
        b = &direct(a);
        use(*b, a);
    }
    for (block* const b : all) release(*b);
    CHECK(put_off() == std::vector<const block*>(std::begin(all), std::end(all)));
    block* const two = reclaimable.take(2);
    CHECK(two == all[0]);
    CHECK(two->next == all[1]);
    CHECK(two->next->next == nullptr);
    reclaimable.push(*all[0]);
    reclaimable.push(*all[1]);
    CHECK(put_off().size() == 20);
    CHECK(put_off().back() == all[1]);
    fake_backend::stream_is_done = true;
    reclaim();
    CHECK(fake_backend::freed == 16);
    CHECK(put_off().size() == 4);
    fake_backend::stream_is_done = false;
    reclaim();
    CHECK(fake_backend::freed == 20);
    CHECK(reclaimable.take(all_put_off) == nullptr);
}

TEST_CASE("what was put off is looked at once each time") {
    const clean check;
    const fake_stream a;
    block& b = direct(a);
    use(b, a);
    release(b);
    fake_backend::stream_queries = 0;
    reclaim();
    CHECK(fake_backend::stream_queries == 1);
    const stream_mark end{&*a, a->tick.load_relaxed()};
    CHECK(is_last_user(end, b));
    raise_to(a->passed, end.tick);
    CHECK_FALSE(is_last_user(end, b));
}

TEST_CASE("slices let go in a host callback join their block when it is used, and it looks once") {
    const clean check;
    const fake_stream a;
    block& b = pooled(a);
    block& busy = direct(a);
    use(busy, a);
    {
        const slice_group parts(&b, 2, "test");
        fake_backend::is_in_callback = true;
    }
    release(busy);
    fake_backend::is_in_callback = false;
    CHECK(put_off().size() == 3);
    CHECK_NOTHROW(read(b, a));
    CHECK(put_off().size() == 1);
    const auto asked = fake_backend::stream_queries;
    CHECK_NOTHROW(read(b, a));
    CHECK(fake_backend::stream_queries == asked);
    CHECK(is_put_off(busy));
    release(b);
}

TEST_CASE("a block with an access open is not waited for, but left to that") {
    const clean check;
    const fake_stream a;
    block& b = pooled(a);
    use(b, a);
    {
        const scoped_access open(&b, *a, access_mode::read, "test");
        fake_backend::is_in_callback = true;
        release(b);
        fake_backend::is_in_callback = false;
        CHECK(reclaim_and_wait().ok());
        CHECK(fake_backend::event_waits == 0);
        CHECK(put_off().empty());
    }
    CHECK(&pooled(a) == &b);
    release(b);
}

TEST_CASE("threads that take from what was put off take each block once") {
    reclaim_list list;
    block blocks[2];
    const auto work = [&list](block* mine) {
        for (int i = 0; i < 200'000; ++i) {
            list.push(*mine);
            do {
                mine = list.take(1);
            } while (mine == nullptr);
        }
        return mine;
    };
    block* first = nullptr;
    std::thread other([&] { first = work(&blocks[0]); });
    block* const second = work(&blocks[1]);
    other.join();
    CHECK(first != second);
    CHECK(list.take(1) == nullptr);
}
