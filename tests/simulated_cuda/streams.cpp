// Rules of the simulation: streams, events, and the order of the default streams.
#include "fixture.hpp"

#include <cuda.h>
#include <cudaTypedefs.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

using namespace devmem_test;

extern "C" cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t, cudaHostFn_t, void*);
extern "C" cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);
extern "C" cudaError_t cudaStreamGetId_ptsz(cudaStream_t, unsigned long long*);

namespace {

void set_true(void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); }

void queue_flag(cudaStream_t stream, std::atomic<bool>& flag) {
    REQUIRE(cudaLaunchHostFunc(stream, set_true, &flag) == cudaSuccess);
}

unsigned long long id_of(cudaStream_t stream) {
    unsigned long long id = 0;
    REQUIRE(cudaStreamGetId(stream, &id) == cudaSuccess);
    return id;
}

/// Whether work on `later` waits for work queued before on `earlier`, which is held up.
bool waits(cudaStream_t earlier, cudaStream_t later) {
    simulated_cuda::gate gate;
    std::atomic<bool> ran{false};
    gate.close(earlier);
    queue_flag(later, ran);
    cudaEvent_t behind = make_event();
    REQUIRE(cudaEventRecord(behind, later) == cudaSuccess);
    // What does not wait is soon through; what does is not, however long one looks.
    bool waiting = true;
    for (int i = 0; i < 200 && waiting; ++i) {
        waiting = cudaEventQuery(behind) == cudaErrorNotReady;
        if (waiting) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(ran != waiting);
    gate.open();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(ran);
    CHECK(cudaEventDestroy(behind) == cudaSuccess);
    static_cast<void>(cudaGetLastError());
    return waiting;
}

}  // namespace

TEST_CASE("the legacy default stream and blocking streams wait for each other") {
    const fresh_simulation fresh;
    if (!simulated_cuda::gate::works()) DEVMEM_SKIP("nothing is ever pending");
    cudaStream_t blocking = make_stream(cudaStreamDefault);
    cudaStream_t another = make_stream(cudaStreamDefault);
    cudaStream_t apart = make_stream(cudaStreamNonBlocking);
    CHECK(waits(cudaStreamLegacy, blocking));
    CHECK(waits(blocking, cudaStreamLegacy));
    CHECK(waits(cudaStreamLegacy, cudaStreamPerThread));
    CHECK(waits(cudaStreamPerThread, cudaStreamLegacy));
    CHECK_FALSE(waits(cudaStreamLegacy, apart));
    CHECK_FALSE(waits(apart, cudaStreamLegacy));
    CHECK_FALSE(waits(blocking, another));
    CHECK_FALSE(waits(blocking, cudaStreamPerThread));
    for (cudaStream_t s : {blocking, another, apart}) CHECK(cudaStreamDestroy(s) == cudaSuccess);
}

TEST_CASE("null is the legacy default stream, or the thread's own in files compiled so") {
    const fresh_simulation fresh;
    CHECK(id_of(nullptr) == id_of(cudaStreamLegacy));
    unsigned long long own = 0;
    CHECK(cudaStreamGetId_ptsz(nullptr, &own) == cudaSuccess);
    CHECK(own == id_of(cudaStreamPerThread));
    CHECK(own != id_of(cudaStreamLegacy));
    unsigned long long other = 0;
    std::thread([&other] { other = id_of(cudaStreamPerThread); }).join();
    CHECK(other != own);
    std::atomic<bool> ran{false};
    CHECK(cudaLaunchHostFunc_ptsz(nullptr, set_true, &ran) == cudaSuccess);
    CHECK(cudaStreamSynchronize_ptsz(nullptr) == cudaSuccess);
    CHECK(ran);
}

TEST_CASE("each device has a default stream of its own, with one handle for all") {
    const fresh_simulation fresh;
    const unsigned long long first = id_of(cudaStreamLegacy);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK(id_of(cudaStreamLegacy) != first);
    int device = -1;
    CHECK(cudaStreamGetDevice(cudaStreamLegacy, &device) == cudaSuccess);
    CHECK(device == 1);
}

TEST_CASE("a destroyed stream finishes its work, and its handle is dead") {
    const fresh_simulation fresh;
    const std::size_t before = simulated_cuda::live_streams();
    cudaStream_t stream = make_stream();
    CHECK(simulated_cuda::live_streams() == before + 1);
    simulated_cuda::gate gate;
    gate.close(stream);
    std::atomic<bool> ran{false};
    queue_flag(stream, ran);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);  // does not wait
    CHECK(simulated_cuda::live_streams() == before);
    gate.open();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(ran);

    CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
    expect_misuse("a stream that is not alive");
    CHECK(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
    expect_misuse("a stream that is not alive");
    CHECK(cudaStreamDestroy(nullptr) == cudaErrorInvalidResourceHandle);
    expect_misuse("a default stream");
}

TEST_CASE("no function takes a dead stream") {
    const fresh_simulation fresh;
    cudaStream_t dead = make_stream();
    cudaEvent_t event = make_event();
    std::byte* memory = make_device_memory(64);
    void* ordered = nullptr;
    REQUIRE(cudaMallocAsync(&ordered, 64, cudaStreamLegacy) == cudaSuccess);
    CHECK(cudaStreamDestroy(dead) == cudaSuccess);

    void* out = nullptr;
    unsigned long long id = 0;
    unsigned flags = 0;
    int device = 0;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    void* found = nullptr;
    const auto entry = [&found](const char* name, unsigned version) {
        REQUIRE(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault,
                                                 nullptr) == cudaSuccess);
        return found;
    };
    const auto context_of =
        reinterpret_cast<PFN_cuStreamGetCtx_v9020>(entry("cuStreamGetCtx", 9020));
    const auto query = reinterpret_cast<PFN_cuStreamQuery_v2000>(entry("cuStreamQuery", 2000));
    CUcontext context = nullptr;
    const std::function<int()> calls[] = {
        [&] { return cudaStreamQuery(dead); },
        [&] { return cudaStreamSynchronize(dead); },
        [&] { return cudaStreamWaitEvent(dead, event, cudaEventWaitDefault); },
        [&] { return cudaStreamIsCapturing(dead, &capture); },
        [&] { return cudaStreamGetId(dead, &id); },
        [&] { return cudaStreamGetDevice(dead, &device); },
        [&] { return cudaStreamGetFlags(dead, &flags); },
        [&] { return cudaLaunchHostFunc(dead, set_true, nullptr); },
        [&] { return cudaEventRecord(event, dead); },
        [&] { return cudaMemsetAsync(memory, 0, 64, dead); },
        [&] { return cudaMemcpyAsync(memory, &id, 8, cudaMemcpyDefault, dead); },
        [&] { return cudaMallocAsync(&out, 64, dead); },
        [&] { return cudaFreeAsync(ordered, dead); },
        [&] { return static_cast<int>(context_of(dead, &context)); },
        [&] { return static_cast<int>(query(dead)); },
    };
    for (const auto& call : calls) {
        CHECK(call() == cudaErrorInvalidResourceHandle);
        expect_misuse("a stream that is not alive");
    }
    CHECK(cudaFree(memory) == cudaSuccess);
    CHECK(cudaFreeAsync(ordered, cudaStreamLegacy) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
}

TEST_CASE("a handle that is used again has another id") {
    const fresh_simulation fresh;
    simulated_cuda::reuse_handles(true);
    cudaStream_t first = make_stream();
    const unsigned long long id = id_of(first);
    simulated_cuda::gate gate;
    gate.close(first);
    CHECK(cudaStreamDestroy(first) == cudaSuccess);
    cudaStream_t second = make_stream();
    CHECK(second == first);
    CHECK(id_of(second) != id);
    CHECK(cudaStreamSynchronize(second) == cudaSuccess);  // not held up by the first one's work
    gate.open();
    CHECK(cudaStreamDestroy(second) == cudaSuccess);

    cudaEvent_t event = make_event();
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    CHECK(make_event() == event);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
}

TEST_CASE("a handle is dead until it is used again, and then is another stream's altogether") {
    const fresh_simulation fresh;
    simulated_cuda::reuse_handles(true);
    cudaStream_t old = make_stream();
    cudaEvent_t behind = make_event();
    simulated_cuda::gate gate;
    gate.close(old);
    std::atomic<bool> ran{false};
    queue_flag(old, ran);
    CHECK(cudaEventRecord(behind, old) == cudaSuccess);
    const bool is_pending = simulated_cuda::gate::works();
    simulated_cuda::set_capturing(old, true);
    CHECK(cudaStreamDestroy(old) == cudaSuccess);

    unsigned long long id = 0;
    CHECK(cudaStreamGetId(old, &id) == cudaErrorInvalidResourceHandle);
    expect_misuse("a stream that is not alive");
    CHECK(cudaStreamSynchronize(old) == cudaErrorInvalidResourceHandle);
    expect_misuse("a stream that is not alive");

    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    cudaStream_t young = make_stream(cudaStreamDefault);
    REQUIRE(young == old);
    int device = -1;
    unsigned flags = 77;
    CHECK(cudaStreamGetDevice(young, &device) == cudaSuccess);
    CHECK(device == 1);
    CHECK(cudaStreamGetFlags(young, &flags) == cudaSuccess);
    CHECK(flags == cudaStreamDefault);
    CHECK(cudaStreamQuery(young) == cudaSuccess);  // nor is it captured, as the old one was
    CHECK(cudaStreamSynchronize(young) == cudaSuccess);
    CHECK(ran != is_pending);
    CHECK((cudaEventQuery(behind) == cudaErrorNotReady) == is_pending);

    cudaEvent_t another = make_event();
    CHECK(cudaEventDestroy(behind) == cudaSuccess);
    CHECK(cudaEventQuery(behind) == cudaErrorInvalidResourceHandle);
    expect_misuse("an event that is not alive");
    cudaEvent_t again = make_event();
    CHECK(again == behind);
    CHECK(cudaEventQuery(again) == cudaSuccess);  // never recorded
    gate.open();
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(ran);
    for (cudaEvent_t e : {another, again}) CHECK(cudaEventDestroy(e) == cudaSuccess);
    CHECK(cudaStreamDestroy(young) == cudaSuccess);
}

TEST_CASE("streams take known flags and tell them") {
    const fresh_simulation fresh;
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreateWithFlags(&stream, 77) == cudaErrorInvalidValue);
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    unsigned flags = 77;
    CHECK(cudaStreamGetFlags(stream, &flags) == cudaSuccess);
    CHECK(flags == cudaStreamDefault);
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("an event captures what its stream has when it is recorded, the last time") {
    const fresh_simulation fresh;
    if (!simulated_cuda::gate::works()) DEVMEM_SKIP("nothing is ever pending");
    cudaStream_t held = make_stream();
    cudaStream_t other = make_stream();
    cudaEvent_t event = make_event();
    CHECK(cudaEventQuery(event) == cudaSuccess);  // never recorded: nothing to wait for
    CHECK(cudaEventSynchronize(event) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(other, event, cudaEventWaitDefault) == cudaSuccess);

    simulated_cuda::gate gate;
    CHECK(cudaEventRecord(event, held) == cudaSuccess);
    gate.close(held);
    CHECK(cudaEventSynchronize(event) == cudaSuccess);  // what came later does not matter
    CHECK(cudaEventRecord(event, held) == cudaSuccess);
    CHECK(cudaEventQuery(event) == cudaErrorNotReady);
    CHECK(cudaStreamWaitEvent(other, event, cudaEventWaitDefault) == cudaSuccess);
    std::atomic<bool> ran{false};
    queue_flag(other, ran);
    cudaStream_t third = make_stream();
    CHECK(cudaEventRecord(event, third) == cudaSuccess);  // the wait keeps what it took
    CHECK(cudaEventSynchronize(event) == cudaSuccess);
    CHECK(cudaStreamQuery(other) == cudaErrorNotReady);
    CHECK_FALSE(ran);
    gate.open();
    CHECK(cudaStreamSynchronize(other) == cudaSuccess);
    CHECK(ran);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    for (cudaStream_t s : {held, other, third}) CHECK(cudaStreamDestroy(s) == cudaSuccess);
}

TEST_CASE("an event is recorded in streams of its own device, and waited for in any") {
    const fresh_simulation fresh;
    cudaStream_t here = make_stream();
    cudaEvent_t event = make_event();
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    cudaStream_t there = make_stream();
    CHECK(cudaEventRecord(event, there) == cudaErrorInvalidResourceHandle);
    expect_misuse("different devices");
    CHECK(cudaEventRecord(event, here) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(there, event, cudaEventWaitDefault) == cudaSuccess);
    CHECK(cudaStreamSynchronize(there) == cudaSuccess);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    CHECK(cudaStreamDestroy(here) == cudaSuccess);
    CHECK(cudaStreamDestroy(there) == cudaSuccess);
}

TEST_CASE("a dead event is of no use") {
    const fresh_simulation fresh;
    cudaStream_t stream = make_stream();
    cudaEvent_t event = make_event();
    const std::size_t with_it = simulated_cuda::live_events();
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    CHECK(simulated_cuda::live_events() == with_it - 1);
    const char* words = "an event that is not alive";
    CHECK(cudaEventRecord(event, stream) == cudaErrorInvalidResourceHandle);
    expect_misuse(words);
    CHECK(cudaEventQuery(event) == cudaErrorInvalidResourceHandle);
    expect_misuse(words);
    CHECK(cudaEventSynchronize(event) == cudaErrorInvalidResourceHandle);
    expect_misuse(words);
    CHECK(cudaStreamWaitEvent(stream, event, cudaEventWaitDefault) ==
          cudaErrorInvalidResourceHandle);
    expect_misuse(words);
    CHECK(cudaEventDestroy(event) == cudaErrorInvalidResourceHandle);
    expect_misuse(words);
    CHECK(cudaEventCreateWithFlags(&event, 0x40) == cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("time is measured between events that were recorded, with timing, and are done") {
    const fresh_simulation fresh;
    cudaStream_t stream = make_stream();
    cudaEvent_t begin = nullptr;
    REQUIRE(cudaEventCreate(&begin) == cudaSuccess);
    cudaEvent_t end = make_event(cudaEventDefault);
    cudaEvent_t untimed = make_event(cudaEventDisableTiming);
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(begin, stream) == cudaSuccess);
    CHECK(cudaEventRecord(untimed, stream) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&milliseconds, begin, untimed) == cudaErrorInvalidResourceHandle);
    if (simulated_cuda::gate::works()) {
        simulated_cuda::gate gate;
        gate.close(stream);
        CHECK(cudaEventRecord(end, stream) == cudaSuccess);
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end) == cudaErrorNotReady);
        gate.open();
    } else {
        CHECK(cudaEventRecord(end, stream) == cudaSuccess);
    }
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end) == cudaSuccess);
    CHECK(milliseconds >= 0);
    for (cudaEvent_t e : {begin, end, untimed}) CHECK(cudaEventDestroy(e) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
