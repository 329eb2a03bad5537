// Files that are missing, truncated or foreign: one line that names the file, and status 1.
#include "run_program.hpp"
#include "synthetic_data.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace fashion_mnist_test;

namespace {

// A good data set, in which each test spoils one file.
struct spoiled_dataset {
    temporary_folder folder;

    spoiled_dataset() { write_dataset(folder.path(), 20, 10); }
    std::filesystem::path file(const char* name) const { return folder.path() / name; }
    void check(const char* file, const char* wrong) const {
        check_refusal(
            run_program("--data '" + folder.path().string() + "'"),
            {(folder.path() / file).string() + ": ", wrong, "dataset-fashion-mnist", "--data"});
    }
};

}  // namespace

TEST_SUITE("data_files") {
    TEST_CASE_FIXTURE(spoiled_dataset, "a folder that is not there") {
        const std::string nowhere = (folder.path() / "nowhere").string();
        check_refusal(run_program("--data '" + nowhere + "'"),
                      {nowhere, "No such file", "dataset-fashion-mnist", "--data"});
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "a file that is not there") {
        std::filesystem::remove(file(test_labels));
        check(test_labels, "cannot be opened: No such file");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "a folder in place of a file") {
        std::filesystem::remove(file(training_images));
        std::filesystem::create_directory(file(training_images));
        check(training_images, "cannot be read: Is a directory");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "an empty file") {
        std::filesystem::resize_file(file(training_labels), 0);
        check(training_labels, "is truncated");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "a gzip file cut off anywhere") {
        const std::uintmax_t whole = std::filesystem::file_size(file(training_images));
        for (const std::uintmax_t size : {whole - 1, whole - 8, whole / 2, std::uintmax_t{12}}) {
            CAPTURE(size);
            std::filesystem::resize_file(file(training_images), size);
            check(training_images, "is truncated");
        }
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "fewer values than the header says") {
        idx_content images = easy_images(20, 1);
        images.values.pop_back();
        write_idx(file(training_images), images);
        check(training_images, "is truncated");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "more values than the header says") {
        idx_content images = easy_images(20, 1);
        images.values.push_back(0);
        write_idx(file(training_images), images);
        check(training_images, "is longer than its header says");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "a damaged byte") {
        std::fstream spoiled(file(training_images),
                             std::ios::in | std::ios::out | std::ios::binary);
        spoiled.seekp(-6, std::ios::end);  // within the checksum
        spoiled.put('\x55').put('\xaa');
        spoiled.close();
        check(training_images, "is damaged");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "another kind of file") {
        std::ofstream(file(test_images)) << "This is no gzip file at all.\n";
        check(test_images, "another kind of file");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "labels where images should be") {
        write_idx(file(test_images), labels_in_turn(10));
        check(test_images, "starts with 0x00000801 in place of 0x00000803");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "images of another size") {
        write_idx(file(test_images),
                  {0x0803, {10, 14, 28}, std::vector<std::uint8_t>(std::size_t{10} * 14 * 28)});
        check(test_images, "14 x 28 pixels in place of 28 x 28");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "a header that announces more than there can be") {
        write_idx(file(training_images), {0x0803, {0xffffffff, 28, 28}, {}});
        write_idx(file(training_labels), {0x0801, {0xffffffff}, {}});
        check(training_images, "announces more than 1 GiB");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "no images") {
        write_idx(file(test_images), easy_images(0, 1));
        write_idx(file(test_labels), labels_in_turn(0));
        check(test_images, "holds no images");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "more labels than images") {
        write_idx(file(training_labels), labels_in_turn(21));
        check(training_labels, "holds 21 labels for 20 images");
    }

    TEST_CASE_FIXTURE(spoiled_dataset, "a label that is no class") {
        idx_content labels = labels_in_turn(20);
        labels.values[7] = 10;
        write_idx(file(training_labels), labels);
        check(training_labels, "label 7 is 10, and classes are 0 to 9");
    }
}
