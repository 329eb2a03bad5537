/// \file
/// What algorithms have in common that answer yes or no.
#pragma once

#include <devmem/config.hpp>
#include <devmem/container/range.hpp>

#include <concepts>

namespace devmem::inline v0::detail {

/// Of all elements, whether each is as it should be.
struct logical_and {
    DEVMEM_HD constexpr bool operator()(bool a, bool b) const noexcept { return a && b; }
};

/// A range that an answer can be written to.
template <class Out>
concept answer_range = output_range<Out> && std::same_as < element_of_t<Out>,
bool > ;

}  // namespace devmem::inline v0::detail
