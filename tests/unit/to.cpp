// to and bytes_of: objects of every make come to another device, whole.
#include "contents.hpp"
#include "gate.hpp"
#include "test_backend.hpp"

#include <devmem/access.hpp>
#include <devmem/device_buffer.hpp>
#include <devmem/error.hpp>
#include <devmem/fill.hpp>
#include <devmem/stream.hpp>
#include <devmem/to.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

using devmem::bytes_of;
using devmem::stream;
using devmem::to;
using devmem_test::contents;
using devmem_test::counted;
using devmem_test::live_bytes;
using devmem_test::nothing_stays;
using devmem_test::path_is_cuda;
using devmem_test::settle;
using devmem_test::test_device;
using devmem_test::test_managed;
using devmem_test::test_mapped;
using devmem_test::test_pinned;
using devmem_test::test_vector;

namespace {

using vector = test_vector<int>;

vector numbers(int from, std::size_t n = 10, int where = 1) {
    return vector(counted<int>(n, from), test_device(where));
}
bool holds(const vector& v, int from, std::size_t n = 10, int where = 2) {
    return v.device() == test_device(where) && contents(v) == counted<int>(n, from);
}
/// For telling whether a vector has kept its memory.
const int* address(const vector& v) { return v.view().address(); }

struct layer {
    std::size_t inputs = 0;
    std::string name;
    vector weight;
    vector bias;
    std::vector<float> on_host;

    friend auto members(const layer& l) {
        return std::tie(l.inputs, l.name, l.weight, l.bias, l.on_host);
    }
};

layer make_layer(int seed, int where = 1) {
    return {static_cast<std::size_t>(seed),
            "layer " + std::to_string(seed),
            numbers(seed, 10, where),
            numbers(seed + 1, 3, where),
            {1.0f, 2.0f}};
}
bool is_layer(const layer& l, int seed, int where = 2) {
    return l.inputs == static_cast<std::size_t>(seed) &&
           l.name == "layer " + std::to_string(seed) && holds(l.weight, seed, 10, where) &&
           holds(l.bias, seed + 1, 3, where) && l.on_host == std::vector<float>{1.0f, 2.0f};
}

/// Has an invariant, a constant and something that is only moved; made by its constructor.
class guarded {
  public:
    guarded(int n, vector values, std::unique_ptr<int> extra)
        : n_(n), values_(std::move(values)), extra_(std::move(extra)) {
        ++made;
    }
    friend auto members(const guarded& g) { return std::tie(g.n_, g.values_, g.extra_); }

    const vector& values() const { return values_; }
    int extra() const { return *extra_; }
    inline static int made = 0;

  private:
    const int n_;
    vector values_;
    std::unique_ptr<int> extra_;
};

/// Leads to more of its own type.
struct node {
    vector values;
    std::unique_ptr<node> next;
    std::shared_ptr<node> other;

    friend auto members(const node& n) { return std::tie(n.values, n.next, n.other); }
};

/// A class that holds no device memory is never taken apart.
struct no_memory_in_it {
    std::unique_ptr<int> only_moved;
    std::string text;

    [[maybe_unused]] friend auto members(const no_memory_in_it& x) {
        return std::tie(x.only_moved, x.text);
    }
};

struct model {
    std::vector<layer> layers;
    std::map<std::string, vector> momentum;
    std::shared_ptr<layer> encoder;
    std::shared_ptr<layer> decoder;
    std::shared_ptr<const layer> watched;
    std::shared_ptr<layer> nothing;

    friend auto members(const model& m) {
        return std::tie(m.layers, m.momentum, m.encoder, m.decoder, m.watched, m.nothing);
    }
};

model make_model() {
    model m;
    m.layers.push_back(make_layer(1));
    m.layers.push_back(make_layer(2));
    m.momentum.emplace("a", numbers(3));
    m.momentum.emplace("b", numbers(4));
    m.encoder = std::make_shared<layer>(make_layer(5));
    m.decoder = m.encoder;
    m.watched = m.encoder;
    return m;
}
void check_model(const model& m, int where) {
    REQUIRE(m.layers.size() == 2);
    CHECK(is_layer(m.layers[0], 1, where));
    CHECK(is_layer(m.layers[1], 2, where));
    CHECK(holds(m.momentum.at("a"), 3, 10, where));
    CHECK(holds(m.momentum.at("b"), 4, 10, where));
    CHECK(is_layer(*m.encoder, 5, where));
    CHECK(m.encoder == m.decoder);
    CHECK(m.encoder == m.watched);
    CHECK(m.nothing == nullptr);
}

/// How often the host has entered a wait so far.
std::uint64_t host_waits() {
#if defined(DEVMEM_CUDA)
    return simulated_cuda::host_waits();
#else
    return devmem::detail::engine().waits().entered.load_relaxed();
#endif
}

/// An allocation that fails when the test says so.
struct failing_allocation {
    inline static int allowed = 0;
    static void* allocate(devmem::device d, devmem::memory_space space, std::size_t bytes) {
        void* data = nullptr;
        if (allowed-- <= 0) throw std::bad_alloc();
        REQUIRE(devmem::detail::table_of(d, "test").allocate(d, space, bytes, &data).ok());
        return data;
    }
    static void deallocate(devmem::device d, devmem::memory_space space, void* data,
                           std::size_t bytes) noexcept {
        CHECK(devmem::detail::table_of(d, "test").deallocate(d, space, data, bytes).ok());
    }
};
using failing_vector = test_vector<int, failing_allocation>;

template <class Object>
concept goes = requires(devmem::device d, const Object& object) {
    to(d, object);
};

static_assert(devmem::detail::holds_memory<model> && devmem::detail::holds_memory<node>);
static_assert(devmem::detail::holds_memory<const vector>);
static_assert(!devmem::detail::holds_memory<no_memory_in_it>);
static_assert(!devmem::detail::holds_memory<std::vector<float>>);
static_assert(!devmem::detail::holds_memory<std::map<std::string, std::vector<int>>>);
static_assert(!devmem::detail::holds_memory<std::shared_ptr<void>>);
static_assert(!devmem::detail::holds_memory<std::function<void()>>);
static_assert(std::is_same_v<decltype(to(test_device(), std::declval<const model&>())), model>);
static_assert(std::is_same_v<decltype(to(test_device(), std::declval<model>())), model>);

}  // namespace

TEST_CASE_TEMPLATE("a container is copied to the device, also where it is there already", V, vector,
                   test_vector<int, devmem::direct>, test_vector<int, devmem::stream_ordered>,
                   test_pinned<int>, test_mapped<int>, test_managed<int>) {
    const nothing_stays check;
    const V v(counted<int>(100), test_device(1));
    for (const int where : {2, 1}) {
        const V copy = to(test_device(where), v);
        CHECK(copy.device() == test_device(where));
        CHECK(contents(copy) == counted<int>(100));
        CHECK(copy.view().address() != v.view().address());
    }
    CHECK(contents(v) == counted<int>(100));
    V empty(test_device(1));
    CHECK(to(test_device(2), empty).device() == test_device(2));
    CHECK(to(test_device(2), std::move(empty)).empty());
}

TEST_CASE_TEMPLATE("a container that is moved keeps its memory where it can", V, vector,
                   test_vector<int, devmem::direct>, test_pinned<int>, test_managed<int>) {
    const nothing_stays check;
    V v(counted<int>(100), test_device(1));
    const int* before = std::as_const(v).view().address();
    V same = to(test_device(1), std::move(v));
    CHECK(std::as_const(same).view().address() == before);
    const V other = to(test_device(2), std::move(same));
    CHECK(other.device() == test_device(2));
    CHECK(contents(other) == counted<int>(100));
}

TEST_CASE("what is on the device already needs no memory there") {
    const nothing_stays check;
    failing_allocation::allowed = 1;
    std::pair<failing_vector, vector> both(failing_vector(counted<int>(5), test_device(2)),
                                           numbers(1));
    failing_allocation::allowed = 0;
    const auto moved = to(test_device(2), std::move(both));
    CHECK(contents(moved.first) == counted<int>(5));
    CHECK(holds(moved.second, 1));
}

TEST_CASE("what has been moved from keeps no memory") {
    const nothing_stays check;
    layer l = make_layer(1);
    const layer moved = to(test_device(2), std::move(l));
    CHECK(is_layer(moved, 1));
    CHECK(bytes_of(l) == 0);
    CHECK(live_bytes() == bytes_of(moved));
    std::unique_ptr<const vector> constant = std::make_unique<const vector>(numbers(2));
    const auto other = to(test_device(2), std::move(constant));
    CHECK(constant == nullptr);
    CHECK(holds(*other, 2));
}

TEST_CASE("untyped bytes go as well") {
    const nothing_stays check;
    const std::vector<std::byte> values(33, std::byte{7});
    const test_vector<std::byte> b(values, test_device(1));
    CHECK(contents(to(test_device(3), b)) == values);
}

TEST_CASE("a model is copied, and what it shares stays shared") {
    const nothing_stays check;
    const model m = make_model();
    const model copy = to(test_device(2), m);
    check_model(copy, 2);
    check_model(m, 1);
    CHECK(copy.encoder != m.encoder);
    CHECK(bytes_of(copy) == bytes_of(m));
}

TEST_CASE("a model is moved, and nothing of it stays on its device") {
    const nothing_stays check;
    model m = make_model();
    const std::size_t live = live_bytes();
    model moved = to(test_device(2), std::move(m));
    CHECK(live_bytes() == live);
    CHECK(bytes_of(m) == 0);
    m = std::move(moved);
    check_model(m, 2);
    // Once more, to where it is: all memory stays in place, and so do the objects shared.
    const int* weight = address(m.layers[1].weight);
    const int* momentum = address(m.momentum.at("b"));
    const layer* encoder = m.encoder.get();
    m = to(test_device(2), std::move(m));
    CHECK(address(m.layers[1].weight) == weight);
    CHECK(address(m.momentum.at("b")) == momentum);
    CHECK(m.encoder.get() == encoder);
    check_model(m, 2);
}

TEST_CASE("what somebody else shares is left to him") {
    const nothing_stays check;
    model m = make_model();
    const std::shared_ptr<layer> mine = m.encoder;
    const model moved = to(test_device(2), std::move(m));
    check_model(moved, 2);
    CHECK(is_layer(*mine, 5, 1));
    CHECK(mine.use_count() == 1);
}

TEST_CASE("through every container of the standard") {
    const nothing_stays check;
    using any = std::variant<int, vector, layer, vector>;
    using everything = std::tuple<
        std::vector<vector>, std::deque<vector>, std::list<layer>, std::array<vector, 2>,
        std::pair<int, vector>, std::multimap<int, vector>, std::unordered_map<std::string, layer>,
        std::unordered_multimap<int, vector>, std::optional<vector>, std::optional<vector>,
        std::vector<any>, std::unique_ptr<layer>, std::unique_ptr<const vector>,
        std::map<int, std::vector<std::optional<vector>>>, std::set<int>, std::vector<guarded>>;
    const auto make = [] {
        everything e;
        std::get<3>(e) = {numbers(0), numbers(1)};
        std::get<4>(e) = {5, numbers(2)};
        std::get<0>(e).push_back(numbers(3));
        std::get<1>(e).push_back(numbers(4));
        std::get<2>(e).push_back(make_layer(5));
        std::get<5>(e).emplace(1, numbers(6));
        std::get<5>(e).emplace(1, numbers(7));
        std::get<6>(e).emplace("x", make_layer(8));
        std::get<7>(e).emplace(2, numbers(9));
        std::get<8>(e) = numbers(10);
        std::get<10>(e).emplace_back(11);
        std::get<10>(e).emplace_back(std::in_place_index<1>, numbers(12));
        std::get<10>(e).emplace_back(make_layer(13));
        std::get<10>(e).emplace_back(std::in_place_index<3>, numbers(14));
        std::get<11>(e) = std::make_unique<layer>(make_layer(15));
        std::get<12>(e) = std::make_unique<const vector>(numbers(16));
        std::get<13>(e)[1].emplace_back(numbers(17));
        std::get<13>(e)[1].emplace_back();
        std::get<14>(e) = {1, 2};
        std::get<15>(e).emplace_back(1, numbers(18), std::make_unique<int>(19));
        return e;
    };
    const auto look = [](const everything& e) {
        CHECK(holds(std::get<0>(e).at(0), 3));
        CHECK(holds(std::get<1>(e).at(0), 4));
        CHECK(is_layer(std::get<2>(e).front(), 5));
        CHECK(holds(std::get<3>(e)[0], 0));
        CHECK(holds(std::get<3>(e)[1], 1));
        CHECK(std::get<4>(e).first == 5);
        CHECK(holds(std::get<4>(e).second, 2));
        REQUIRE(std::get<5>(e).size() == 2);
        CHECK(holds(std::get<5>(e).begin()->second, 6));
        CHECK(holds(std::next(std::get<5>(e).begin())->second, 7));
        CHECK(is_layer(std::get<6>(e).at("x"), 8));
        CHECK(holds(std::get<7>(e).find(2)->second, 9));
        CHECK(holds(std::get<8>(e).value(), 10));
        CHECK_FALSE(std::get<9>(e).has_value());
        REQUIRE(std::get<10>(e).size() == 4);
        CHECK(std::get<0>(std::get<10>(e)[0]) == 11);
        CHECK(holds(std::get<1>(std::get<10>(e)[1]), 12));
        CHECK(is_layer(std::get<2>(std::get<10>(e)[2]), 13));
        CHECK(holds(std::get<3>(std::get<10>(e)[3]), 14));
        CHECK(is_layer(*std::get<11>(e), 15));
        CHECK(holds(*std::get<12>(e), 16));
        REQUIRE(std::get<13>(e).at(1).size() == 2);
        CHECK(holds(std::get<13>(e).at(1)[0].value(), 17));
        CHECK_FALSE(std::get<13>(e).at(1)[1].has_value());
        CHECK(std::get<14>(e) == std::set<int>{1, 2});
        CHECK(holds(std::get<15>(e).at(0).values(), 18));
        CHECK(std::get<15>(e).at(0).extra() == 19);
    };
    everything e = make();
    CHECK(bytes_of(e) > 0);
    look(to(test_device(2), e));
    const std::size_t live = live_bytes();
    const everything moved = to(test_device(2), std::move(e));
    look(moved);
    settle();
    CHECK(live_bytes() == live);
    // A moved node is the same node; a constant that is on the device already stays what it is.
    everything on_device = to(test_device(2), moved);
    const vector* in_list = &std::get<2>(on_device).front().weight;
    const vector* constant = std::get<12>(on_device).get();
    const everything again = to(test_device(2), std::move(on_device));
    look(again);
    CHECK(&std::get<2>(again).front().weight == in_list);
    CHECK(std::get<12>(again).get() == constant);
}

TEST_CASE("a class with a constructor is made by it") {
    const nothing_stays check;
    guarded g(3, numbers(3), std::make_unique<int>(8));
    const int before = guarded::made;
    const guarded copy = to(test_device(2), [](guarded& x) -> const guarded& { return x; }(g));
    CHECK(guarded::made == before + 1);
    CHECK(holds(copy.values(), 3));
    CHECK(copy.extra() == 8);
    CHECK(g.extra() == 8);
    const guarded moved = to(test_device(2), std::move(g));
    CHECK(guarded::made == before + 2);
    CHECK(holds(moved.values(), 3));
    CHECK(moved.extra() == 8);
}

TEST_CASE("a class may lead to itself, but no object back to where it came from") {
    const nothing_stays check;
    node first{numbers(1), std::make_unique<node>(node{numbers(2), nullptr, nullptr}),
               std::make_shared<node>(node{numbers(3), nullptr, nullptr})};
    first.next->other = first.other;
    CHECK(bytes_of(first) == 3 * 10 * sizeof(int));
    const auto look = [](const node& n) {
        CHECK(holds(n.values, 1));
        CHECK(holds(n.next->values, 2));
        CHECK(holds(n.other->values, 3));
        CHECK(n.next->other == n.other);
    };
    look(to(test_device(2), [](node& n) -> const node& { return n; }(first)));
    first.other->other = first.other;
    CHECK_THROWS_AS(static_cast<void>(to(test_device(2), std::move(first))),
                    devmem::invalid_argument);
    CHECK(bytes_of(first) == 3 * 10 * sizeof(int));
    first.other->other = nullptr;
    look(to(test_device(2), std::move(first)));
}

TEST_CASE("what holds no device memory is passed through") {
    CHECK(to(test_device(2), 5) == 5);
    const std::vector<float> on_host{1.0f, 2.0f};
    CHECK(to(test_device(2), on_host) == on_host);
    no_memory_in_it x{std::make_unique<int>(4), "text"};
    const int* address = x.only_moved.get();
    const no_memory_in_it y = to(test_device(2), std::move(x));
    CHECK(y.only_moved.get() == address);
    CHECK(y.text == "text");
    const auto shared = std::make_shared<std::string>("shared");
    CHECK(to(test_device(2), shared) == shared);
    CHECK(bytes_of(shared) == 0);
    CHECK(bytes_of(y) == 0);
    // What is only moved goes along in what is moved.
    std::pair<std::unique_ptr<int>, vector> both(std::make_unique<int>(6), numbers(1));
    const auto moved = to(test_device(2), std::move(both));
    CHECK(*moved.first == 6);
    CHECK(holds(moved.second, 1));
}

TEST_CASE("bytes are counted once, of every space") {
    const nothing_stays check;
    const model m = make_model();
    constexpr std::size_t of_layer = (10 + 3) * sizeof(int);
    CHECK(bytes_of(m) == 3 * of_layer + 2 * 10 * sizeof(int));
    CHECK(bytes_of(numbers(0, 7)) == 7 * sizeof(int));
    const std::pair<test_pinned<char>, test_managed<char>> both(
        test_pinned<char>(3, test_device()), test_managed<char>(4, test_device()));
    CHECK(bytes_of(both) == 7);
    vector with_room(100, test_device());
    with_room.resize(1);
    CHECK(bytes_of(with_room) == sizeof(int));
}

TEST_CASE("all copies are in flight at once, and nobody waits") {
    DEVMEM_NEEDS_GATE();
    const nothing_stays check;
    const stream source(test_device(1));
    const stream s(test_device(2));
    std::vector<vector> objects;
    for (int i = 0; i < 8; ++i) objects.emplace_back(counted<int>(1000, i), source);
    settle();
    devmem_test::gate held;
    held.close(s);
    held.close(source);
    devmem::fill(objects[0].first(1), 77, source);
    const std::uint64_t waits = host_waits();
    const std::vector<vector> copies = to(
        test_device(2), [](auto& o) -> const auto& { return o; }(objects), s);
    // Its old memory is given back at once, and serves others only after the copies.
    std::vector<vector> moved = to(test_device(2), std::move(objects), s);
    objects.clear();
    std::vector<vector> others;
    for (int i = 0; i < 8; ++i) others.emplace_back(1000, -1, source);
    CHECK(host_waits() == waits);
    CHECK_FALSE(s.query());
    held.open();
    for (std::size_t i = 0; i < 8; ++i) {
        std::vector<int> wanted = counted<int>(1000, static_cast<int>(i));
        if (i == 0) wanted[0] = 77;
        CHECK(contents(copies[i]) == wanted);
        CHECK(contents(moved[i]) == wanted);
    }
}

TEST_CASE("the stream is one of the new device's") {
    const nothing_stays check;
    const stream s(test_device(3));
    const vector v = numbers(1);
    const std::size_t live = live_bytes();
    CHECK_THROWS_AS(static_cast<void>(to(test_device(2), v, s)), devmem::wrong_device);
    CHECK_THROWS_AS(static_cast<void>(to(devmem::device(test_device().kind(), 50), v)),
                    devmem::no_such_device);
    CHECK(live_bytes() == live);
    CHECK(holds(to(test_device(3), v, s), 1, 10, 3));
}

TEST_CASE("a backend that is fixed to another kind is refused before anything is done") {
    const nothing_stays check;
    using fixed = test_vector<
        int, std::conditional_t<std::is_same_v<devmem_test::test_backend, devmem::dynamic_backend>,
                                devmem::direct, devmem::pooled>>;
    const devmem::device other(path_is_cuda ? devmem::device_kind::cpu : devmem::device_kind::cuda,
                               0);
    std::pair<devmem::device_vector<int>, std::optional<fixed>> object(
        devmem::device_vector<int>(counted<int>(5), test_device(1)),
        fixed(counted<int>(5), test_device(1)));
    if (std::is_same_v<devmem_test::test_backend, devmem::dynamic_backend>) {
        CHECK_THROWS_AS(static_cast<void>(to(other, std::move(object))), devmem::no_such_device);
    } else {
        const std::size_t live = live_bytes();
        const auto& constant = object;
        CHECK_THROWS_AS(static_cast<void>(to(other, constant)), devmem::wrong_device);
        CHECK_THROWS_AS(static_cast<void>(to(other, std::move(object))), devmem::wrong_device);
        CHECK(live_bytes() == live);
    }
    CHECK(object.first.size() == 5);
    CHECK(object.second->size() == 5);
}

TEST_CASE("a failure half-way leaves the object as it was") {
    const nothing_stays check;
    using object_type = std::tuple<vector, layer, std::shared_ptr<layer>, std::vector<int>,
                                   std::vector<failing_vector>, vector>;
    failing_allocation::allowed = 3;
    object_type object(numbers(1), make_layer(2), std::make_shared<layer>(make_layer(3)), {1, 2},
                       {}, numbers(4));
    for (int i = 0; i < 3; ++i) {
        std::get<4>(object).emplace_back(counted<int>(5, i), test_device(1));
    }
    const std::size_t live = live_bytes();
    const auto look = [&live](const object_type& o, int where) {
        CHECK(holds(std::get<0>(o), 1, 10, where));
        CHECK(is_layer(std::get<1>(o), 2, where));
        CHECK(is_layer(*std::get<2>(o), 3, where));
        CHECK(std::get<3>(o) == std::vector<int>{1, 2});
        REQUIRE(std::get<4>(o).size() == 3);
        CHECK(contents(std::get<4>(o)[2]) == counted<int>(5, 2));
        CHECK(holds(std::get<5>(o), 4, 10, where));
        CHECK(live_bytes() == live);
    };
    for (int allowed = 0; allowed < 3; ++allowed) {
        const auto& constant = object;
        failing_allocation::allowed = allowed;
        CHECK_THROWS_AS(static_cast<void>(to(test_device(2), constant)), std::bad_alloc);
        look(object, 1);
        failing_allocation::allowed = allowed;
        CHECK_THROWS_AS(static_cast<void>(to(test_device(2), std::move(object))), std::bad_alloc);
        look(object, 1);
    }
    {
        failing_allocation::allowed = 3;
        const stream s(test_device(1));
        const auto open = std::get<5>(object).write(s);
        CHECK_THROWS_AS(static_cast<void>(to(test_device(2), std::move(object))),
                        devmem::access_conflict);
    }
    look(object, 1);
    failing_allocation::allowed = 3;
    object = to(test_device(2), std::move(object));
    look(object, 2);
}

TEST_CASE("who keeps the order is kept") {
    const nothing_stays check;
    vector v = numbers(1);
    v.set_ordering(devmem::ordering::manual);
    settle();
    const vector copy = to(test_device(2), v);
    CHECK(copy.ordering() == devmem::ordering::manual);
    settle();
    CHECK(holds(copy, 1));
}

#if defined(DEVMEM_CUDA)
TEST_CASE("between kinds of device the host waits once") {
    const nothing_stays check;
    std::vector<devmem::device_vector<int>> object;
    for (int i = 0; i < 5; ++i) object.emplace_back(counted<int>(100, i), devmem::device::cpu(1));
    object.emplace_back(devmem::device::cpu(1));
    const auto look = [](const std::vector<devmem::device_vector<int>>& o, devmem::device d) {
        REQUIRE(o.size() == 6);
        for (std::size_t i = 0; i < 5; ++i) {
            CHECK(o[i].device() == d);
            CHECK(contents(o[i]) == counted<int>(100, static_cast<int>(i)));
        }
        CHECK(o[5].device() == d);
    };
    const auto syncs = [] { return simulated_cuda::count("cudaStreamSynchronize"); };
    settle();
    devmem::synchronize(devmem::device::cpu(1));
    std::size_t before = syncs();
    object = to(test_device(1), std::move(object));
    CHECK(syncs() == before + 1);
    look(object, test_device(1));
    const stream s(test_device(2));
    before = syncs();
    const auto copies = to(test_device(2), object, s);
    CHECK(syncs() == before);
    look(copies, test_device(2));
    before = syncs();
    const auto back = to(devmem::device::cpu(2), copies);
    CHECK(syncs() == before + 1);
    look(back, devmem::device::cpu(2));
    object = to(devmem::device::cpu(3), std::move(object), devmem::stream(devmem::device::cpu(3)));
    look(object, devmem::device::cpu(3));
}
#endif
