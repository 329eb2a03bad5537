// Brings images to the device, a batch at a time, while the batch before is worked on.
#pragma once

#include "labelled_images.hpp"

#include <devmem/devmem.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fashion_mnist {

/// A batch in a device's memory: the first `rows` images and labels.
struct device_batch {
    const devmem::device_vector<std::uint8_t>& pixels;
    const devmem::device_vector<std::uint8_t>& labels;
    std::size_t rows;
};

/// Two slots in turn: while one stream computes with the batch in one, the host fills the other and
/// a second stream copies it. Pixels travel as bytes; they become floats on the device.
class batch_feeder {
  public:
    /// For batches of at most `batch` images, copied on `copies`. @lifetime the stream outlives it
    batch_feeder(std::size_t batch, devmem::stream_view copies);

    /// Calls `work(device_batch)` for one batch of `order` after another. What `work` queues on
    /// `compute` runs after the copy of its batch, and the next batch but one is copied after it.
    /// Returns when all is queued.
    template <class Work>
    void for_each_batch(const labelled_images& images, std::span<const std::uint32_t> order,
                        devmem::stream_view compute, Work work) {
        for (std::size_t first = 0; first < order.size(); first += batch_) {
            slot& next = slots_[turn_++ % slots_.size()];
            const std::size_t rows = std::min(batch_, order.size() - first);
            //! [order]
            upload(next, images, order.subspan(first, rows));
            compute.wait(next.copied);
            work(device_batch{next.pixels, next.labels, rows});
            next.consumed.record(compute);
            //! [order]
        }
    }

  private:
    struct slot {
        slot(std::size_t batch, devmem::stream_view s);

        devmem::pinned_buffer<std::uint8_t> staged_pixels;
        devmem::pinned_buffer<std::uint8_t> staged_labels;
        devmem::device_vector<std::uint8_t> pixels;
        devmem::device_vector<std::uint8_t> labels;
        devmem::event copied;    // the staged bytes have been read
        devmem::event consumed;  // the bytes on the device have been read
    };

    void upload(slot& to, const labelled_images& images, std::span<const std::uint32_t> chosen);

    std::size_t batch_;
    std::size_t turn_ = 0;
    devmem::stream_view copies_;
    std::array<slot, 2> slots_;
};

}  // namespace fashion_mnist
