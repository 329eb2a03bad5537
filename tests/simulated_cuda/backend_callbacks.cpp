// cuda_backend: host functions, and what may be called in them.
#include "backend_fixture.hpp"

#include <array>
#include <memory>
#include <thread>

using namespace devmem_test;
using devmem::detail::make_host_function;

TEST_CASE_FIXTURE(backend_fixture,
                  "host functions run once, in order, on a thread that is not the host's") {
    std::vector<int> order;
    std::thread::id runner;
    bool inside = false;
    for (int i = 0; i < 3; ++i) {
        CHECK(backend::host_call(d, stream, make_host_function([&, i]() noexcept {
                                     order.push_back(i);
                                     inside = backend::in_callback();
                                     runner = std::this_thread::get_id();
                                 }))
                  .ok());
    }
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(order == std::vector<int>{0, 1, 2});
    CHECK(inside);
    CHECK_FALSE(backend::in_callback());
    if (simulated_cuda::gate::works()) CHECK(runner != std::this_thread::get_id());
}

TEST_CASE_FIXTURE(backend_fixture, "a closure too large or not trivial is kept and destroyed") {
    auto counted = std::make_shared<int>(0);
    std::array<char, 200> large{};
    large[199] = 3;
    CHECK(backend::host_call(
              d, stream, make_host_function([counted, large]() noexcept { *counted = large[199]; }))
              .ok());
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(*counted == 3);
    CHECK(counted.use_count() == 1);
}

TEST_CASE("a thread is in a host function as long as it runs one") {
    bool inside = false;
    const auto run = [&inside] {
        devmem::detail::run_host_function(new devmem::host_function(
            make_host_function([&inside]() noexcept { inside = backend::in_callback(); })));
    };
    run();
    CHECK(inside);
    CHECK_FALSE(backend::in_callback());
}

TEST_CASE_FIXTURE(backend_fixture, "a host function that was not accepted is its maker's") {
    auto counted = std::make_shared<int>(0);
    devmem::host_function f = make_host_function([counted]() noexcept { *counted = 1; });
    simulated_cuda::fail_call("cudaLaunchHostFunc", 1, cudaErrorUnknown);
    CHECK_FALSE(backend::host_call(d, stream, f).ok());
    CHECK(counted.use_count() == 2);
    f.drop();
    CHECK(counted.use_count() == 1);
    CHECK(*counted == 0);
}

TEST_CASE_FIXTURE(backend_fixture, "in a host function nothing of the backend is permitted") {
    std::vector<status> results;
    CHECK(backend::host_call(
              d, stream, make_host_function([&]() noexcept {
                  int count = 0;
                  void* out = nullptr;
                  bool done = false;
                  int pattern = 0;
                  device current;
                  devmem::device_facts facts;
                  devmem::memory_counts counts;
                  results = {
                      backend::device_count(&count),
                      backend::facts(d, &facts),
                      backend::current_device(&current),
                      backend::push_device(d, &current),
                      backend::memory_info(d, &counts),
                      backend::synchronize_device(d),
                      backend::allocate(d, memory_space::device, 64, &out),
                      backend::deallocate(d, memory_space::device, memory, bytes),
                      backend::default_stream(d, &out),
                      backend::stream_create(d, &out),
                      backend::stream_destroy(d, stream),
                      backend::stream_query(d, stream, &done),
                      backend::stream_synchronize(d, stream),
                      backend::event_create(d, false, &out),
                      backend::copy_async(d, stream, memory, memory, 4),
                      backend::upload_async(d, stream, memory, &pattern, 4),
                      backend::copy_2d_async(d, stream, {memory, 4, memory, 4, 4, 1}),
                      backend::upload_2d_async(d, stream, {memory, 4, &pattern, 4, 4, 1}),
                      backend::fill_async(d, stream, memory, &pattern, 4, 1),
                      backend::host_call(d, stream, make_host_function([]() noexcept {})),
                  };
              }))
              .ok());
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(results.size() == 20);
    for (const status s : results) {
        CHECK(is(s, error_code::not_permitted, cudaErrorNotPermitted));
    }
    CHECK(simulated_cuda::misuses().empty());  // CUDA was not even asked
}
