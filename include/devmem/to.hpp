/// \file
/// `to`: brings an object, whatever it is made of, to a device; `bytes_of` tells what that moves.
///
/// Both look through `std::vector`, `deque`, `list`, `array`, `pair`, `tuple`, `map`,
/// `unordered_map` and their multi-forms, `optional`, `variant`, `unique_ptr`, `shared_ptr`, nested
/// in any way, and through every class that opts in by a friend:
///
///     friend auto members(const layer& l) { return std::tie(l.inputs, l.weight, l.bias); }
///
/// It names *all* members, in the order of their initialisation; the class is made again from them,
/// as `layer{m...}` or `layer(m...)`. No member is a reference, or declared constant and itself the
/// owner of anything. What the classes hold of devmem's own containers, of any policy, is moved;
/// everything else is passed through as it is: a `std::vector<float>` stays on the host.
///
/// What cannot be seen is not moved, and nobody is told: containers in a class without `members`,
/// in a `std::any` or a closure; nor are views and raw pointers made to point to the new memory.
/// Polymorphic classes and `std::weak_ptr` are refused when the program is compiled.
#pragma once

#include <devmem/stream/resolve.hpp>
#include <devmem/transfer/moving.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace devmem::inline v0 {

namespace detail {

/// @throws wrong_device, no_such_device, before anything is done
template <class Object>
mover mover_to(device d, const Object& object, stream_view s, const call_site& by) {
    kind_check check(d, by);
    visit_parts(object, check);
    static_cast<void>(table_of(d, by));
    return {resolve_stream(s, d, by), s.names_a_stream(), by};
}

template <class Object>
concept movable_object = !std::is_reference_v<Object> && !std::is_const_v<Object>;

}  // namespace detail

/// A copy of `object` with all of its memory on `d`, whose types, sizes and manner of ordering are
/// those of the original. Two `shared_ptr`s to one object point to one copy of it. The copies are
/// queued on `s`, a stream of `d`, by default the current one; using the parts waits for them where
/// it must.
/// @throws length_error, out_of_memory, no_such_device, access_conflict, wrong_device when `s` is
/// not a stream of `d` or the backend of a container is fixed to another kind (before anything is
/// allocated), invalid_argument when a `shared_ptr` leads back to what holds it. The original is
/// unchanged, and nothing is left behind
/// @sync none; between CPU and GPU the host waits, once, for all copies
template <class Object>
Object to(device d, const Object& object, stream_view s = {}, place at = place::here()) {
    if constexpr (!detail::holds_memory<Object>) {
        return object;
    } else {
        const detail::call_site by("to", at);
        detail::mover m = detail::mover_to(d, object, s, by);
        Object made = m.copied(object);
        m.finish();
        return made;
    }
}

/// Moves `object`. What is on `d` already keeps its memory and address; the rest is copied, as
/// above, and the old memory given back once that has passed. What a `shared_ptr`, or a pointer to
/// a constant, points to stays where all of it is on `d`, else it is copied as a whole, since
/// others may hold it. Other parts are moved.
/// @throws as above, and then `object` is as it was. Only an exception of a constructor of the
/// object's own classes may leave it with parts taken from it, and valid
/// @sync none; between CPU and GPU the host waits, once, for all copies
template <class Object>
requires detail::movable_object<Object> Object to(device d, Object&& object, stream_view s = {},
                                                  place at = place::here()) {
    if constexpr (!detail::holds_memory<Object>) {
        return static_cast<Object&&>(object);  // never of an lvalue: see the constraint
    } else {
        const detail::call_site by("to", at);
        detail::mover m = detail::mover_to(d, object, s, by);
        m.prepare(object);
        m.finish();
        return m.taken(object);
    }
}

/// The bytes in containers that `object` holds, of whatever space: what `to` would move. What is
/// shared counts once, room beyond the size not at all. @sync none
template <class Object>
std::size_t bytes_of(const Object& object) {
    detail::byte_count count;
    detail::visit_parts(object, count);
    return count.bytes;
}

}  // namespace devmem::inline v0
