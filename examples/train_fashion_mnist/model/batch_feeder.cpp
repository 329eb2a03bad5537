#include "batch_feeder.hpp"

namespace fashion_mnist {

namespace {

void gather(const labelled_images& images, std::span<const std::uint32_t> chosen,
            std::uint8_t* pixels, std::uint8_t* labels) {
    for (const std::size_t i : chosen) {
        pixels = std::copy_n(&images.pixels[i * image_size], image_size, pixels);
        *labels++ = images.labels[i];
    }
}

}  // namespace

batch_feeder::slot::slot(std::size_t batch, devmem::stream_view s)
    : staged_pixels(batch * image_size, s),
      staged_labels(batch, s),
      pixels(batch * image_size, s),
      labels(batch, s) {}

batch_feeder::batch_feeder(std::size_t batch, devmem::stream_view copies)
    : batch_(batch), copies_(copies), slots_{slot(batch, copies), slot(batch, copies)} {
    copies_.synchronize();  // the host is about to write what was zeroed on this stream
}

void batch_feeder::upload(slot& to, const labelled_images& images,
                          std::span<const std::uint32_t> chosen) {
    // The host may write the staged bytes as soon as the last copy has read them. host_write()
    // would wait for all work of the device, the computation on the other slot included; the
    // event of that copy is all that needs to have passed.
    //! [stage]
    to.copied.synchronize();
    gather(images, chosen, to.staged_pixels.unsynchronized_data(),
           to.staged_labels.unsynchronized_data());
    //! [stage]

    const std::size_t bytes = chosen.size() * image_size;
    copies_.wait(to.consumed);
    devmem::copy_async(to.staged_pixels.first(bytes), to.pixels.first(bytes), copies_);
    devmem::copy_async(to.staged_labels.first(chosen.size()), to.labels.first(chosen.size()),
                       copies_);
    to.copied.record(copies_);
}

}  // namespace fashion_mnist
