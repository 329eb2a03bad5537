// Each backend call of each operation on matrices fails in turn: what throws has changed nothing
// and leaked nothing, and whatever was asked of devmem before can be asked of it again.
#include "swept_vectors.hpp"

#include <devmem/copy_2d.hpp>
#include <devmem/device.hpp>
#include <devmem/fill.hpp>
#include <devmem/pitched_buffer.hpp>
#include <devmem/stream.hpp>
#include <devmem/uninitialized.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

using namespace devmem_test;

namespace {

using devmem::copy_2d;
using devmem::copy_2d_async;
using devmem::stream_view;
using matrix = devmem::pitched_buffer<int, test_backend>;

constexpr std::size_t rows = 6;
constexpr std::size_t columns = 7;

/// Rows one behind the other.
template <class M>
std::vector<int> dense(const M& m) {
    std::vector<int> values(m.rows() * m.columns());
    copy_2d(m, values);
    return values;
}

template <class M = matrix>
M matrix_of(int first, devmem::device where) {
    M m(rows, columns, where);
    copy_2d(counted<int>(rows * columns, first), m);
    settle();
    return m;
}

/// Memory on the host, on another device, on this one, and of another kind where there is one.
struct sources {
    std::vector<int> host = counted<int>(rows * columns, 1000);
    matrix other = matrix_of(5000, test_device(2));
    matrix same = matrix_of(7000, test_device(1));
    devmem::pitched_buffer<int> on_cpu =
        matrix_of<devmem::pitched_buffer<int>>(9000, devmem::device::cpu(1));
};

/// A matrix, and what it was like when it was made.
struct swept_matrix {
    matrix m = matrix_of(0, test_device(1));
    const int* address = m.view().address();

    void check_same_memory() const {
        CHECK(m.view().address() == address);
        CHECK(m.device() == test_device(1));
        REQUIRE((m.rows() == rows && m.columns() == columns));
    }
};

enum class waits { no, yes };

/// Sweeps what changes a matrix. After a failure it is as it was; or, where the failure may have
/// been that of a wait for work that was queued, it may be what was wanted.
void sweep_matrix(const std::string& name, waits does_wait,
                  const std::function<void(matrix&)>& change) {
    const std::vector<int> before = counted<int>(rows * columns);
    std::vector<int> wanted;
    {
        swept_matrix s;
        change(s.m);
        settle();
        wanted = dense(s.m);
    }
    const int thrown =
        fault_sweep<swept_matrix>({name, [] { return swept_matrix(); },
                                   [&](swept_matrix& s) { change(s.m); },
                                   [&](swept_matrix& s) { CHECK(dense(s.m) == wanted); },
                                   [&](swept_matrix& s) {
                                       s.check_same_memory();
                                       const std::vector<int> now = dense(s.m);
                                       const bool may_be_done = does_wait == waits::yes;
                                       CHECK((now == before || (may_be_done && now == wanted)));
                                   }})
            .run();
    INFO("operation: " << name);
    CHECK(thrown > 0);
}

/// A constructor: it leaves a matrix of those values, or nothing.
void sweep_matrix_construction(const std::string& name, const std::function<matrix()>& construct,
                               const std::vector<int>& wanted) {
    using made = std::optional<matrix>;
    const int thrown =
        fault_sweep<made>({name, [] { return made(); }, [&](made& m) { m.emplace(construct()); },
                           [&](made& m) {
                               CHECK((m->rows() == rows && m->columns() == columns));
                               CHECK(dense(*m) == wanted);
                           },
                           [](made& m) { CHECK_FALSE(m.has_value()); }})
            .run();
    INFO("operation: " << name);
    CHECK(thrown > 0);
}

}  // namespace

TEST_CASE("constructors of matrices") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const sources from;
    const auto zeros = std::vector<int>(rows * columns, 0);
    sweep_matrix_construction(
        "zeros", [] { return matrix(rows, columns, test_device(1)); }, zeros);
    sweep_matrix_construction(
        "on a stream of its own",
        [] {
            const devmem::stream s(test_device(1));
            return matrix(rows, columns, s);
        },
        zeros);
    sweep_matrix_construction(
        "uninitialized, then copied to",
        [&] {
            matrix m(rows, columns, devmem::uninitialized, test_device(1));
            copy_2d(from.host, m);
            return m;
        },
        from.host);
    sweep_matrix_construction(
        "a copy", [&] { return matrix(from.same); }, counted<int>(rows * columns, 7000));
}

TEST_CASE("a matrix takes another's place, or is as it was") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const sources from;
    sweep_matrix("copy assignment", waits::no, [&](matrix& m) { m = from.same; });
}

TEST_CASE("rows that are copied and queued") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const sources from;
    const auto sweep = [](const std::string& name, const auto& act) {
        sweep_matrix(name, waits::no, [&act](matrix& m) { act(m, stream_view()); });
        sweep_matrix(name + " on a stream of its own", waits::no, [&act](matrix& m) {
            const devmem::stream s(test_device(1));
            act(m, s);
        });
    };
    sweep("from the host", [&](matrix& m, stream_view s) { copy_2d_async(from.host, m, s); });
    sweep("from the same device",
          [&](matrix& m, stream_view s) { copy_2d_async(from.same, m, s); });
    sweep("from another device",
          [&](matrix& m, stream_view s) { copy_2d_async(from.other, m, s); });
    sweep("between blocks of one", [](matrix& m, stream_view s) {
        copy_2d_async(m.block(0, 0, 2, 3), m.block(3, 2, 2, 3), s);
    });
    sweep("between blocks that overlap", [](matrix& m, stream_view s) {
        copy_2d_async(m.block(0, 0, 3, 3), m.block(1, 1, 3, 3), s);
    });
    sweep("to a row", [](matrix& m, stream_view s) { devmem::fill(m.row(2), 7, s); });
}

TEST_CASE("rows that are copied and waited for") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const sources from;
    const auto sweep = [](const std::string& name, const std::function<void(matrix&)>& change) {
        sweep_matrix(name, waits::yes, change);
    };
    sweep("from the host", [&](matrix& m) { copy_2d(from.host, m); });
    sweep("from the same device", [&](matrix& m) { copy_2d(from.same, m); });
    sweep("from another device", [&](matrix& m) { copy_2d(from.other, m); });
    sweep("from the CPU", [&](matrix& m) { copy_2d(from.on_cpu, m); });
    // Between kinds of device the host waits anyway.
    sweep("from the CPU, asynchronous", [&](matrix& m) { copy_2d_async(from.on_cpu, m); });
}

TEST_CASE("rows that are only read stay as they are") {
    const nothing_stays check;
    const counted_destructor_errors quiet;
    const auto sweep = [](const std::string& name, const std::function<void(matrix&)>& read) {
        sweep_matrix(name, waits::no, read);
    };
    sweep("to the host", [](matrix& m) {
        std::vector<int> host(rows * columns);
        copy_2d(m, host);
        CHECK(host == counted<int>(rows * columns));
    });
    sweep("to pinned memory", [](matrix& m) {
        test_pinned<int> to(rows * columns, test_device(1));
        copy_2d(m, to);
        expect(to.host_read()[9], 9);
    });
    sweep("to another device", [](matrix& m) {
        matrix to(rows, columns, test_device(3));
        settle();
        copy_2d_async(m, to);
        expect(dense(to), counted<int>(rows * columns));
    });
    sweep("to the CPU", [](matrix& m) {
        devmem::pitched_buffer<int> to(rows, columns, devmem::device::cpu(1));
        copy_2d(m, to);
        expect(dense(to), counted<int>(rows * columns));
    });
    sweep("a block to the host", [](matrix& m) {
        std::vector<int> host(6);
        copy_2d(m.block(1, 2, 2, 3), host);
        CHECK(host == std::vector<int>{9, 10, 11, 16, 17, 18});
    });
}
