// What the user can put right.
#pragma once

#include <stdexcept>

namespace fashion_mnist {

/// Something the user gave, an option or a file, is not right. The text is one line that names it,
/// says what is wrong, and what helps.
class user_error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace fashion_mnist
