// Batches arrive whole and in order, whichever stream lags behind.
#include "model/batch_feeder.hpp"

#include <doctest/doctest.h>
#include <devmem/devmem.hpp>

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using fashion_mnist::image_size;

// Each image is filled with a byte of its own.
fashion_mnist::labelled_images numbered_images(std::size_t n) {
    fashion_mnist::labelled_images images;
    for (std::size_t i = 0; i < n; ++i) {
        images.pixels.insert(images.pixels.end(), image_size, static_cast<std::uint8_t>(i));
        images.labels.push_back(static_cast<std::uint8_t>(i % fashion_mnist::classes));
    }
    return images;
}

void be_slow(devmem::stream_view s) {
    devmem::host_task([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, s);
}

// What arrived of a set of images, and in batches of how many.
struct arrivals {
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint8_t> labels;
    std::vector<std::size_t> rows;
};

enum class slow_stream { copies, compute };

// Feeds images in batches of 8 while one of the streams lags behind.
arrivals feed(const fashion_mnist::labelled_images& images, const std::vector<std::uint32_t>& order,
              slow_stream slow) {
    const devmem::stream copies;
    const devmem::stream compute;
    fashion_mnist::batch_feeder feeder(8, copies);
    devmem::device_vector<std::uint8_t> pixels(order.size() * image_size, compute);
    devmem::device_vector<std::uint8_t> labels(order.size(), compute);
    std::vector<std::size_t> rows;
    std::size_t seen = 0;
    feeder.for_each_batch(images, order, compute, [&](const fashion_mnist::device_batch& b) {
        be_slow(slow == slow_stream::copies ? copies : compute);
        devmem::copy_async(b.pixels.first(b.rows * image_size),
                           pixels.subspan(seen * image_size, b.rows * image_size), compute);
        devmem::copy_async(b.labels.first(b.rows), labels.subspan(seen, b.rows), compute);
        rows.push_back(b.rows);
        seen += b.rows;
    });
    return {pixels.to_host(compute), labels.to_host(compute), rows};
}

void check_complete(const arrivals& arrived, const fashion_mnist::labelled_images& images,
                    const std::vector<std::uint32_t>& order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
        CAPTURE(i);
        CHECK(arrived.pixels[i * image_size] == order[i]);
        CHECK(arrived.pixels[(i + 1) * image_size - 1] == order[i]);
        CHECK(arrived.labels[i] == images.labels[order[i]]);
    }
}

}  // namespace

TEST_SUITE("model") {
    TEST_CASE("every image of the order arrives once, the last batch shorter") {
        const fashion_mnist::labelled_images images = numbered_images(100);
        std::vector<std::uint32_t> order(images.size());
        std::iota(order.rbegin(), order.rend(), 0u);
        for (const slow_stream slow : {slow_stream::copies, slow_stream::compute}) {
            CAPTURE(static_cast<int>(slow));
            const arrivals arrived = feed(images, order, slow);
            CHECK(arrived.rows.size() == 13);
            CHECK(arrived.rows.front() == 8);
            CHECK(arrived.rows.back() == 4);
            check_complete(arrived, images, order);
        }
    }
}
