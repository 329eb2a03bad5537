// Each backend call that brings an object to another device fails in turn: the object is there
// whole, or as it was, wherever in it the memory lies.
#include "swept_vectors.hpp"

#include <devmem/copy_2d.hpp>
#include <devmem/device.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/managed_vector.hpp>
#include <devmem/pinned_buffer.hpp>
#include <devmem/pitched_buffer.hpp>
#include <devmem/stream.hpp>
#include <devmem/to.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

using namespace devmem_test;

namespace {

// Of either kind of device, so that they can go from one to the other.
using vector = devmem::device_vector<int>;
using matrix = devmem::pitched_buffer<int>;

vector numbers(int first) { return vector(counted<int>(100, first), test_device(1)); }
bool holds(const vector& v, int first, devmem::device where) {
    return v.device() == where && contents(v) == counted<int>(100, first);
}

/// Where objects go: to another device, and to one of the other kind where there is one.
std::vector<devmem::device> destinations() { return {test_device(3), devmem::device::cpu(2)}; }

/// Sweeps `to` of an object that is made on `test_device(1)`. `look(object, device)` checks that it
/// is there and whole.
template <class Object>
void sweep_moving(const std::string& name, const std::function<Object()>& make,
                  const std::function<void(const Object&, devmem::device)>& look) {
    for (const devmem::device there : destinations()) {
        CAPTURE(there.index());
        const auto make_settled = [&make] {
            Object object = make();
            settle();
            return object;
        };
        const auto is_here = [&look](Object& o) { look(o, test_device(1)); };
        const int moved =
            fault_sweep<Object>({name + ", moved", make_settled,
                                 [&](Object& o) { o = devmem::to(there, std::move(o)); },
                                 [&](Object& o) { look(o, there); }, is_here})
                .run();
        CHECK(moved > 0);
    }
}

/// The same of a copy: the object stays where it is, and what did not come whole did not come.
template <class Object>
void sweep_copying(const std::string& name, const std::function<Object()>& make,
                   const std::function<void(const Object&, devmem::device)>& look) {
    struct both {
        Object object;
        std::optional<Object> copy;
    };
    for (const devmem::device there : destinations()) {
        CAPTURE(there.index());
        const auto make_both = [&make] {
            both b{make(), std::nullopt};
            settle();
            return b;
        };
        const int copied =
            fault_sweep<both>(
                {name + ", copied", make_both,
                 [&](both& b) { b.copy.emplace(devmem::to(there, std::as_const(b.object))); },
                 [&](both& b) {
                     look(b.object, test_device(1));
                     look(*b.copy, there);
                 },
                 [&](both& b) {
                     look(b.object, test_device(1));
                     CHECK_FALSE(b.copy.has_value());
                 }})
                .run();
        CHECK(copied > 0);
    }
}

template <class Object>
void sweep_both(const std::string& name, const std::function<Object()>& make,
                const std::function<void(const Object&, devmem::device)>& look) {
    sweep_moving<Object>(name, make, look);
    sweep_copying<Object>(name, make, look);
}

struct layer {
    std::string name;
    vector weight;
    matrix rows;

    friend auto members(const layer& l) { return std::tie(l.name, l.weight, l.rows); }
};
layer make_layer(int seed) {
    layer l{"layer " + std::to_string(seed), numbers(seed), matrix(3, 5, test_device(1))};
    devmem::copy_2d(counted<int>(15, seed), l.rows);
    return l;
}
bool is_layer(const layer& l, int seed, devmem::device where) {
    std::vector<int> values(15);
    devmem::copy_2d(l.rows, values);
    return l.name == "layer " + std::to_string(seed) && holds(l.weight, seed, where) &&
           l.rows.device() == where && values == counted<int>(15, seed);
}

}  // namespace

TEST_CASE("pointers to containers, of which nobody else has one") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    using vectors = std::vector<std::shared_ptr<vector>>;
    sweep_both<vectors>(
        "shared pointers",
        [] {
            vectors all;
            for (int i = 0; i < 3; ++i) all.push_back(std::make_shared<vector>(numbers(i)));
            return all;
        },
        [](const vectors& all, devmem::device d) {
            REQUIRE(all.size() == 3);
            for (std::size_t i = 0; i < 3; ++i) CHECK(holds(*all[i], static_cast<int>(i), d));
        });
}

TEST_CASE("containers in containers") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    using nested = std::map<std::string, std::vector<std::optional<vector>>>;
    sweep_both<nested>(
        "a map of vectors of optional ones",
        [] {
            nested n;
            n["a"].emplace_back(numbers(1));
            n["a"].emplace_back();
            n["b"].emplace_back(numbers(2));
            n["c"].clear();
            return n;
        },
        [](const nested& n, devmem::device d) {
            REQUIRE(n.size() == 3);
            REQUIRE((n.at("a").size() == 2 && n.at("b").size() == 1));
            CHECK(holds(n.at("a")[0].value(), 1, d));
            CHECK_FALSE(n.at("a")[1].has_value());
            CHECK(holds(n.at("b")[0].value(), 2, d));
        });
    using mixed =
        std::tuple<std::pair<int, vector>, std::variant<int, vector>, std::unique_ptr<vector>>;
    sweep_both<mixed>(
        "a tuple of a pair, a variant and a pointer",
        [] {
            return mixed(std::pair(4, numbers(1)), numbers(2),
                         std::make_unique<vector>(numbers(3)));
        },
        [](const mixed& m, devmem::device d) {
            CHECK(std::get<0>(m).first == 4);
            CHECK(holds(std::get<0>(m).second, 1, d));
            CHECK(holds(std::get<1>(std::get<1>(m)), 2, d));
            CHECK(holds(*std::get<2>(m), 3, d));
        });
}

TEST_CASE("classes, with matrices, and one that two lead to") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    using object = std::tuple<std::vector<layer>, std::shared_ptr<layer>, std::shared_ptr<layer>>;
    sweep_both<object>(
        "layers",
        [] {
            object o;
            std::get<0>(o).push_back(make_layer(1));
            std::get<0>(o).push_back(make_layer(2));
            std::get<1>(o) = std::make_shared<layer>(make_layer(3));
            std::get<2>(o) = std::get<1>(o);
            return o;
        },
        [](const object& o, devmem::device d) {
            REQUIRE(std::get<0>(o).size() == 2);
            CHECK(is_layer(std::get<0>(o)[0], 1, d));
            CHECK(is_layer(std::get<0>(o)[1], 2, d));
            CHECK(is_layer(*std::get<1>(o), 3, d));
            CHECK(std::get<1>(o) == std::get<2>(o));
        });
}

TEST_CASE("on a stream of one's own, and memory of several kinds at once") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    using kinds = std::tuple<vector, devmem::pinned_buffer<int>, devmem::managed_vector<int>,
                             devmem::device_vector<int, devmem::direct>>;
    const auto look = [](const kinds& k, devmem::device d) {
        CHECK(holds(std::get<0>(k), 1, d));
        CHECK(contents(std::get<1>(k)) == counted<int>(100, 2));
        CHECK(contents(std::get<2>(k)) == counted<int>(100, 3));
        CHECK(contents(std::get<3>(k)) == counted<int>(100, 4));
        CHECK(std::get<3>(k).device() == d);
    };
    const auto make = [] {
        const devmem::device d = test_device(1);
        return kinds(numbers(1), devmem::pinned_buffer<int>(counted<int>(100, 2), d),
                     devmem::managed_vector<int>(counted<int>(100, 3), d),
                     devmem::device_vector<int, devmem::direct>(counted<int>(100, 4), d));
    };
    sweep_both<kinds>("all kinds of memory", make, look);
    const int thrown = fault_sweep<kinds>({"on a stream",
                                           [&] {
                                               kinds k = make();
                                               settle();
                                               return k;
                                           },
                                           [](kinds& k) {
                                               const devmem::stream s(test_device(3));
                                               k = devmem::to(test_device(3), std::move(k), s);
                                           },
                                           [&](kinds& k) { look(k, test_device(3)); },
                                           [&](kinds& k) { look(k, test_device(1)); }})
                           .run();
    CHECK(thrown > 0);
}
