/// \file
/// `fill`: one value to all elements of a range.
#pragma once

#include <devmem/algorithm/operand.hpp>

#include <concepts>
#include <type_traits>

namespace devmem::inline v0 {

/// Makes all elements of `out` be `value`, which is taken at the call. Works on every device; no
/// kernel is needed for it.
/// @throws wrong_device for a stream of another device @sync none
template <detail::output_range Out>
void fill(Out&& out, const std::type_identity_t<detail::element_of_t<Out>>& value,
          stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("fill", at);
    detail::stream_state& on = detail::resolve_stream(s, out.view().device(), operation);
    const auto output = detail::writing(on, out, operation);
    const auto to = output.elements();
    if (to.size == 0) return;
    detail::check(on.table->fill_async(on.where, on.handle, to.data, &value, sizeof value, to.size),
                  operation, *on.table, on.where, sizeof value * to.size);
}

}  // namespace devmem::inline v0
