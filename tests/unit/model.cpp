// A random program on device_vectors beside the same on std::vectors: equal throughout.
//
// DEVMEM_TEST_SEED chooses another program; every failure prints its seed and step.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/device_slices.hpp>
#include <devmem/fill.hpp>
#include <devmem/pool.hpp>
#include <devmem/stream.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace {

using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_pinned;
using devmem_test::test_vector;

struct triple {
    std::uint32_t a;
    std::uint32_t b;
    std::uint32_t c;
    friend bool operator==(const triple&, const triple&) = default;
};

template <class T>
T value_of(std::uint32_t number) {
    if constexpr (std::is_same_v<T, triple>) {
        return {number, number ^ 0x5A5AU, ~number};
    } else {
        return static_cast<T>(number);
    }
}

/// Vectors on several devices, used on several streams that come and go, without a wait: keeping
/// the order is devmem's affair.
template <class T>
class model {
    using vector = test_vector<T>;

    struct pair {
        explicit pair(devmem::device d) : made(0, d) {}
        vector made;
        std::vector<T> mirror;
    };
    struct part {
        std::size_t from;
        std::size_t n;
    };

  public:
    explicit model(std::uint32_t seed) : random_(seed) {
        for (int i = 0; i < vectors; ++i) all_.emplace_back(test_device(i % devices));
        for (int i = 0; i < devices; ++i) {
            for (int k = 0; k < 2; ++k) {
                streams_[static_cast<std::size_t>(i)].emplace_back(test_device(i));
            }
        }
    }

    void step() {
        pair& x = any();
        switch (below(34)) {
            case 0:
                return resize(x);
            case 1:
                return resize_to_value(x);
            case 2:
                return resize_uninitialized(x);
            case 3:
                return x.made.reserve(below(most), stream_of(x));
            case 4:
                return x.made.shrink_to_fit(stream_of(x));
            case 5:
                if (below(8) != 0) return;
                below(2) == 0 ? x.made.clear() : x.made.reset();
                return x.mirror.clear();
            case 6:
                return assign_value(x);
            case 7:
                return assign_from_host(x);
            case 8:
            case 9:
                return assign_part(x, below(2) == 0 ? x : any());
            case 10:
            case 11:
                return append_from_host(x);
            case 12:
            case 13:
                return append_part(x, below(2) == 0 ? x : any());
            case 14:
                return get(x);
            case 15:
            case 16:
                return set(x);
            case 17:
                return get_async(x, any());
            case 18:
                return copy_from_host(x);
            case 19:
                return copy_to_host(x);
            case 20:
            case 21:
            case 22:
                return copy_part(x, below(2) == 0 ? x : any());
            case 23:
                return copy_assign(x, any());
            case 24:
                return move_assign(x, any());
            case 25:
                return swap(x, any());
            case 26:
                return fill(x);
            case 27:
                return construct(x, any());
            case 28:
                return by_pinned_memory(x, any());
            case 29:
                return replace_stream();
            case 30:
            case 31:
                return fill_parts(x);
            default:
                return check(x);
        }
    }

    void check_all() {
        for (pair& x : all_) check(x);
    }

  private:
    static constexpr int vectors = 5;
    static constexpr int devices = 3;
    static constexpr std::size_t most = 400;

    std::size_t below(std::size_t n) { return random_() % n; }
    pair& any() { return all_[below(all_.size())]; }
    T value() { return value_of<T>(static_cast<std::uint32_t>(random_())); }
    std::vector<T> values(std::size_t n) {
        std::vector<T> made;
        for (std::size_t i = 0; i < n; ++i) made.push_back(value());
        return made;
    }
    part any_part(std::size_t size) {
        const std::size_t from = below(size + 1);
        return {from, below(size - from + 1)};
    }
    devmem::device_view<T> view(pair& x, part p) { return x.made.subspan(p.from, p.n); }
    static auto begin(std::vector<T>& v, std::size_t from) {
        return v.begin() + static_cast<std::ptrdiff_t>(from);
    }
    static std::vector<T> copied(std::vector<T>& v, part p) {
        return {begin(v, p.from), begin(v, p.from + p.n)};
    }
    /// Elements that may still be added.
    std::size_t room(const pair& x) { return below(most - std::min(most, x.mirror.size()) + 1); }

    devmem::stream_view any_stream(devmem::device d) {
        const std::size_t k = below(3);
        if (k == 2) return devmem::current_stream(d);
        return streams_[static_cast<std::size_t>(d.index())][k];
    }
    devmem::stream_view stream_of(const pair& x) { return any_stream(x.made.device()); }

    /// Another stream in the place of one whose work may still be in flight.
    void replace_stream() {
        const std::size_t d = below(devices);
        streams_[d][below(2)] = devmem::stream(test_device(static_cast<int>(d)));
    }
    /// Parts at once, each on a stream of its own.
    void fill_parts(pair& x) {
        const std::size_t k = 1 + below(3);
        std::vector<T> filled;
        {
            const auto parts = x.made.split(k);
            for (const auto one : parts) {
                const T v = value();
                devmem::fill(one, v, stream_of(x));
                if (below(2) == 0) devmem::fill(one, v, stream_of(x));
                filled.insert(filled.end(), one.size(), v);
            }
        }
        x.mirror = filled;
    }

    void resize(pair& x) {
        const std::size_t n = below(most);
        x.made.resize(n, stream_of(x));
        x.mirror.resize(n, T{});
    }
    void resize_to_value(pair& x) {
        const std::size_t n = below(most);
        const T v = value();
        x.made.resize(n, v, stream_of(x));
        x.mirror.resize(n, v);
    }
    void resize_uninitialized(pair& x) {
        const std::size_t old = x.mirror.size();
        const std::size_t n = below(most);
        const T v = value();
        x.made.resize(n, devmem::uninitialized, stream_of(x));
        if (n > old) devmem::fill(x.made.last(n - old), v, stream_of(x));
        x.mirror.resize(n, v);
    }
    void assign_value(pair& x) {
        const std::size_t n = below(most);
        const T v = value();
        x.made.assign(n, v, stream_of(x));
        x.mirror.assign(n, v);
    }
    void assign_from_host(pair& x) {
        std::vector<T> host = values(below(100));
        x.made.assign(host, stream_of(x));
        x.mirror = host;
        std::ranges::fill(host, T{});  // has been read
    }
    void assign_part(pair& x, pair& y) {
        const part p = any_part(y.mirror.size());
        x.made.assign(view(y, p), stream_of(x));
        x.mirror = copied(y.mirror, p);
    }
    void append_from_host(pair& x) {
        std::vector<T> host = values(std::min<std::size_t>(room(x), 50));
        x.made.append(host, stream_of(x));
        x.mirror.insert(x.mirror.end(), host.begin(), host.end());
        std::ranges::fill(host, T{});
    }
    void append_part(pair& x, pair& y) {
        part p = any_part(y.mirror.size());
        p.n = std::min(p.n, room(x));
        x.made.append(view(y, p), stream_of(x));
        const std::vector<T> added = copied(y.mirror, p);
        x.mirror.insert(x.mirror.end(), added.begin(), added.end());
    }
    void get(pair& x) {
        if (x.mirror.empty()) return;
        const std::size_t i = below(x.mirror.size());
        REQUIRE(x.made.get(i, stream_of(x)) == x.mirror[i]);
    }
    void set(pair& x) {
        if (x.mirror.empty()) return;
        const std::size_t i = below(x.mirror.size());
        const bool asynchronous = below(4) != 0;
        T v = value();
        x.mirror[i] = v;
        const devmem::stream_view s = stream_of(x);
        asynchronous ? x.made.set_async(i, v, s) : x.made.set(i, v, s);
        v = T{};
    }
    void get_async(pair& x, pair& y) {
        if (x.mirror.empty() || y.mirror.empty()) return;
        const std::size_t i = below(x.mirror.size());
        const std::size_t j = below(y.mirror.size());
        x.made.get_async(i, y.made.subspan(j, 1), stream_of(below(2) == 0 ? x : y));
        y.mirror[j] = x.mirror[i];
    }
    void copy_from_host(pair& x) {
        const part p = any_part(x.mirror.size());
        std::vector<T> host = values(p.n);
        const bool asynchronous = below(4) != 0;
        const devmem::stream_view s = stream_of(x);
        asynchronous ? devmem::copy_async(host, view(x, p), s) : devmem::copy(host, view(x, p), s);
        std::ranges::copy(host, begin(x.mirror, p.from));
        std::ranges::fill(host, T{});
    }
    void copy_to_host(pair& x) {
        const part p = any_part(x.mirror.size());
        std::vector<T> host(p.n);
        devmem::copy(view(x, p), host, stream_of(x));
        REQUIRE(host == copied(x.mirror, p));
    }
    /// Within one vector the parts may overlap.
    void copy_part(pair& x, pair& y) {
        const std::size_t n = below(std::min(x.mirror.size(), y.mirror.size()) + 1);
        const part from{below(x.mirror.size() - n + 1), n};
        const part to{below(y.mirror.size() - n + 1), n};
        devmem::copy_async(view(x, from), view(y, to), stream_of(below(2) == 0 ? x : y));
        std::ranges::copy(copied(x.mirror, from), begin(y.mirror, to.from));
    }
    void copy_assign(pair& x, pair& y) {
        const devmem::device d = x.made.device();
        x.made = y.made;
        REQUIRE(x.made.device() == d);
        x.mirror = std::vector<T>(y.mirror);
    }
    void move_assign(pair& x, pair& y) {
        if (&x == &y) {
            x.made = std::move(y.made);
            return;
        }
        const devmem::device d = y.made.device();
        x.made = std::move(y.made);
        x.mirror = std::exchange(y.mirror, {});
        REQUIRE(x.made.device() == d);
        REQUIRE(y.made.device() == d);
        REQUIRE(y.made.empty());
        // Each device keeps a vector.
        if (below(2) == 0) y.made = vector(test_device(static_cast<int>(below(devices))));
    }
    void swap(pair& x, pair& y) {
        if (&x == &y) return x.made.swap(y.made);
        x.made.swap(y.made);
        x.mirror.swap(y.mirror);
    }
    void fill(pair& x) {
        const part p = any_part(x.mirror.size());
        const T v = value();
        devmem::fill(view(x, p), v, stream_of(x));
        std::fill_n(begin(x.mirror, p.from), p.n, v);
    }
    /// A new vector, on any device, takes the place of `x`.
    void construct(pair& x, pair& y) {
        const part p = any_part(y.mirror.size());
        const devmem::stream_view s = any_stream(test_device(static_cast<int>(below(devices))));
        std::optional<vector> made;
        made.emplace(view(y, p), s);
        if (below(2) == 0) {
            // A copy of a copy, on the current stream.
            made = vector(*made);
        }
        x.mirror = copied(y.mirror, p);
        x.made = *std::move(made);
    }
    /// There and back, with a look by the host on the way.
    void by_pinned_memory(pair& x, pair& y) {
        const std::size_t n = std::min(x.mirror.size(), y.mirror.size());
        const devmem::stream_view s = stream_of(x);
        test_pinned<T> p(n, devmem::uninitialized, s);
        devmem::copy_async(x.made.first(n), p, s);
        const std::vector<T> wanted = copied(x.mirror, {0, n});
        REQUIRE(std::ranges::equal(p.host_read(), wanted));
        if (n > 0) p[n - 1] = T{};
        devmem::copy_async(p, y.made.last(n), stream_of(y));
        std::ranges::copy(wanted, begin(y.mirror, y.mirror.size() - n));
        if (n > 0) y.mirror.back() = T{};
    }

    void check(pair& x) {
        REQUIRE(x.made.size() == x.mirror.size());
        REQUIRE(x.made.capacity() >= x.made.size());
        REQUIRE(x.made.to_host(stream_of(x)) == x.mirror);
    }

    std::mt19937 random_;
    std::vector<pair> all_;
    std::array<std::vector<devmem::stream>, devices> streams_;
};

template <class T>
void run_program(int steps) {
    const char* chosen = std::getenv("DEVMEM_TEST_SEED");
    // A program of its own for each seed of the scheduler.
    const char* scheduler = std::getenv("DEVMEM_SCHEDULER");
    const char* colon = scheduler != nullptr ? std::strchr(scheduler, ':') : nullptr;
    const unsigned long preset =
        20'240 + (colon != nullptr ? std::strtoul(colon + 1, nullptr, 10) : 0);
    const auto seed =
        static_cast<std::uint32_t>(chosen != nullptr ? std::strtoul(chosen, nullptr, 10) : preset);
    CAPTURE(seed);
    int step = 0;
    CAPTURE(step);
    const nothing_stays check;
    {
        model<T> m(seed);
        for (; step < steps; ++step) {
            m.step();
            if (step % 500 == 0) m.check_all();
            if (step % 10'000 == 0) devmem::empty_cache();
        }
        m.check_all();
    }
    CHECK(devmem_test::live_bytes() == 0);
}

}  // namespace

// Under each of many seeds fewer.
TEST_CASE("a random program of 100,000 operations") {
    run_program<std::uint32_t>(devmem_test::scheduler_is("deferred") ? 10'000 : 100'000);
}

TEST_CASE("a shorter one with elements that no single memset fills") {
    run_program<triple>(devmem_test::scheduler_is("deferred") ? 2'000 : 20'000);
}
