// What `to` cannot look through is said in words.
#include <devmem/device_vector.hpp>
#include <devmem/to.hpp>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

using vector = devmem::device_vector<float>;

struct layer {
    vector weight;
    friend auto members(const layer& l) { return std::tie(l.weight); }
};
struct derived : layer {
    vector more;
};
struct polymorphic {
    virtual ~polymorphic() = default;
    vector weight;
    friend auto members(const polymorphic& p) { return std::tie(p.weight); }
};
struct missing_member {
    missing_member(int n, vector w) : size(n), weight(std::move(w)) {}
    int size;
    vector weight;
    friend auto members(const missing_member& m) { return std::tie(m.weight); }
};
struct gives_copies {
    vector weight;
    friend auto members(const gives_copies& g) { return std::make_tuple(g.weight); }
};

int main() {
    const devmem::device d = devmem::device::cpu();
    const std::vector<std::shared_ptr<layer>> all;
    devmem::to(d, all);
    // expected: do not cover std::weak_ptr
    // expected: do not cover polymorphic classes
    // expected: do not cover polymorphic classes
    // expected: from a base class only
    // expected: cannot be made again
    // expected: std::tie of the members
    // expected: built-in arrays
    // expected: move the object
    // expected: cannot copy what a unique_ptr with a deleter of its own
#if DEVMEM_FAIL == 1
    devmem::to(d, std::weak_ptr<layer>());
#elif DEVMEM_FAIL == 2
    devmem::to(d, std::vector<std::unique_ptr<polymorphic>>());
#elif DEVMEM_FAIL == 3
    devmem::bytes_of(polymorphic());
#elif DEVMEM_FAIL == 4
    devmem::to(d, derived());
#elif DEVMEM_FAIL == 5
    devmem::to(d, missing_member(1, vector(3)));
#elif DEVMEM_FAIL == 6
    devmem::to(d, gives_copies());
#elif DEVMEM_FAIL == 7
    devmem::to(d, std::unique_ptr<layer[]>());
#elif DEVMEM_FAIL == 8
    struct not_copied {
        not_copied() = default;
        not_copied(not_copied&&) = default;
    };
    const std::pair<not_copied, vector> both;
    devmem::to(d, both);
#elif DEVMEM_FAIL == 9
    struct deleter {
        void operator()(layer*) const {}
    };
    const std::unique_ptr<layer, deleter> pointer;
    devmem::to(d, pointer);
#endif
}
