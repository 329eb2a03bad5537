/// \file
/// The body of `to`: how an object is copied to a device, and how it is moved there.
///
/// Copying builds the new object part by part. Moving makes all new memory first, and queues all
/// copies; only then, when no device can refuse any more, are the parts taken from the old object.
#pragma once

#include <devmem/basic_vector.hpp>
#include <devmem/transfer/copy_ranges.hpp>
#include <devmem/transfer/parts.hpp>
#include <devmem/transfer/pointees.hpp>
#include <devmem/transfer/rebuilding.hpp>
#include <devmem/transfer/visitors.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace devmem::inline v0::detail {

template <class S>
concept can_reserve = requires(S& s, std::size_t n) {
    s.reserve(n);
};
template <class M>
concept sorted_map = requires(const M& m) {
    m.key_comp();
};

/// Brings the parts of one object to a device.
class mover {
  public:
    mover(stream_state& on, bool is_named, const call_site& by) noexcept
        : on_(on), is_named_(is_named), by_(by) {}

    /// A copy of `part`, all of whose memory is new.
    template <class T>
    T copied(const T& part);

    /// Makes everything new that `taken` will need. Changes nothing of `part`.
    template <class T>
    void prepare(const T& part) {
        visit_parts(part, *this);
    }
    /// The part, moved, with its memory on the device. @pre it has been prepared, and all before it
    /// have been taken
    template <class T>
    T taken(T& part);

    /// Waits where one side of the copies is no device's stream to wait for.
    void finish() const {
        for (stream_state* s : between_kinds_) synchronize_stream(*s, by_);
    }

    // As a visitor, in `prepare`.

    template <class V>
    void container(const V& v) {
        if (v.device() != on_.where) made_.push_back({&v, any_value(new V(twin(v)))});
    }
    /// What others may share, or nobody may change, is not taken apart: where some of it is
    /// elsewhere, it is copied.
    template <class P>
    bool enters(const P& pointer) {
        if (renewed_.find(pointee::of(*pointer)) != nullptr) return false;
        search_elsewhere search(on_.where);
        visit_parts(*pointer, search);
        if (!search.found) return false;
        if constexpr (shape_of<P> == shape::shared) {
            static_cast<void>(copied(pointer));
        } else {
            made_.push_back({&*pointer, any_value(new P(copied(pointer)))});
        }
        return false;
    }

  private:
    /// Something new, and what it is to replace.
    struct replacement {
        const void* of;
        any_value value;
    };

    template <class T, class Policy>
    basic_vector<T, Policy> twin(const basic_vector<T, Policy>& v);
    void queue_between_kinds(const byte_range& src, const byte_range& dst);
    template <class P>
    P copied_shared(const P& pointer);
    template <class M>
    static M empty_map_like(const M& map);
    template <class V, std::size_t I = 0>
    V copied_alternative(const V& part);
    template <class T>
    void renew(T& part);
    template <class V>
    V take_made(const void* of);

    stream_state& on_;
    bool is_named_;
    const call_site& by_;
    std::vector<replacement> made_;
    std::size_t taken_ = 0;
    pointee_map renewed_;
    std::vector<stream_state*> between_kinds_;
};

template <class T, class Policy>
basic_vector<T, Policy> mover::twin(const basic_vector<T, Policy>& v) {
    using vector = basic_vector<T, Policy>;
    const placement there(stream_view(on_), by_.at);
    const bool within_a_kind = v.empty() || v.device().kind() == on_.where.kind();
    vector made = within_a_kind ? vector(v, there) : vector(v.size(), uninitialized, there);
    if (!within_a_kind) queue_between_kinds(bytes_of_range(v), bytes_of_range(made));
    made.set_ordering(v.ordering());
    return made;
}

/// The host waits once for all such copies: in `finish`.
inline void mover::queue_between_kinds(const byte_range& src, const byte_range& dst) {
    const stream_view given = is_named_ ? stream_view(on_) : stream_view();
    stream_state& s = stream_between_kinds(src, dst, given, by_);
    queue_copy(s, src, dst, copy_mode::blocking, by_);
    for (const stream_state* known : between_kinds_) {
        if (known == &s) return;
    }
    between_kinds_.push_back(&s);
}

template <class T>
T mover::copied(const T& part) {
    constexpr shape is = shape_of<T>;
    [[maybe_unused]] const auto copy_of = [&](const auto& inner) { return copied(inner); };
    if constexpr (is == shape::unique) {
        static_assert(unique_of<T>::can_be_made,
                      "devmem: to(device, const Object&) cannot copy what a unique_ptr with a "
                      "deleter of its own points to; move the object");
        using pointed_to = std::remove_const_t<typename unique_of<T>::part>;
        return part != nullptr ? T(new pointed_to(copied<pointed_to>(*part))) : T();
    } else if constexpr (!holds_memory<T>) {
        static_assert(std::is_copy_constructible_v<T>,
                      "devmem: to(device, const Object&) copies, and a part of the object cannot "
                      "be copied; move the object: to(device, std::move(object))");
        return part;
    } else if constexpr (is == shape::container) {
        return twin(part);
    } else if constexpr (is == shape::members) {
        return rebuild_by<T>(members(part), copy_of);
    } else if constexpr (is == shape::tuple) {
        return remade_tuple(part, copy_of, std::make_index_sequence<std::tuple_size_v<T>>{});
    } else if constexpr (is == shape::sequence) {
        T made(part.get_allocator());
        if constexpr (can_reserve<T>) made.reserve(part.size());
        for (const auto& inner : part) made.push_back(copied(inner));
        return made;
    } else if constexpr (is == shape::map) {
        T made = empty_map_like(part);
        for (const auto& [key, value] : part) made.emplace_hint(made.end(), key, copied(value));
        return made;
    } else if constexpr (is == shape::optional) {
        return part.has_value() ? T(copied(*part)) : T();
    } else if constexpr (is == shape::variant) {
        return copied_alternative<T>(part);
    } else {
        return part != nullptr ? T(copied_shared(part)) : T();
    }
}

/// The copy that was made at the first meeting.
template <class P>
P mover::copied_shared(const P& pointer) {
    using pointed_to = std::remove_const_t<typename shared_of<P>::part>;
    using made_pointer = typename shared_of<P>::of_mutable;
    const pointee key = pointee::of<pointed_to>(*pointer);
    if (renewed_.insert(key)) {
        made_pointer made(new pointed_to(copied<pointed_to>(*pointer)));
        any_value kept(new made_pointer(made));
        renewed_.find(key)->value = std::move(kept);
        return made;
    }
    const any_value& known = renewed_.find(key)->value;
    if (!known.has_value()) {
        throw_failure({.code = error_code::invalid_argument, .operation = by_, .where = on_.where},
                      "a shared_ptr in the object leads back to what holds it; break the circle");
    }
    return known.as<made_pointer>();
}

template <class M>
M mover::empty_map_like(const M& map) {
    if constexpr (sorted_map<M>) {
        return M(map.key_comp(), map.get_allocator());
    } else {
        return M(map.bucket_count(), map.hash_function(), map.key_eq(), map.get_allocator());
    }
}

template <class V, std::size_t I>
V mover::copied_alternative(const V& part) {
    if constexpr (I < variant_of<V>::size) {
        if (part.index() == I) return V(std::in_place_index<I>, copied(*get_if<I>(&part)));
        return copied_alternative<V, I + 1>(part);
    } else {
        throw_failure({.code = error_code::invalid_argument, .operation = by_, .where = on_.where},
                      "a variant in the object has lost its value to an exception");
    }
}

template <class V>
V mover::take_made(const void* of) {
    DEVMEM_ASSERT(taken_ < made_.size() && made_[taken_].of == of);
    return std::move(made_[taken_++].value.template as<V>());
}

/// Replaces a part where it is.
template <class T>
void mover::renew(T& part) {
    if constexpr (holds_memory<T>) {
        if constexpr (std::is_move_assignable_v<T>) {
            part = taken(part);
        } else {
            static_assert(std::is_nothrow_move_constructible_v<T>,
                          "devmem: to() must be able to move a part of the object");
            T made = taken(part);
            part.~T();
            ::new (static_cast<void*>(&part)) T(std::move(made));
        }
    }
}

template <class T>
T mover::taken(T& part) {
    constexpr shape is = shape_of<T>;
    [[maybe_unused]] const auto renew_each = [&](auto& inner) { renew(inner); };
    if constexpr (!holds_memory<T>) {
        // What is as good as its bytes may be a constant member.
        if constexpr (std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T>) {
            return static_cast<const T&>(part);
        } else {
            return std::move(part);
        }
    } else if constexpr (is == shape::container) {
        if (part.device() == on_.where) return std::move(part);
        part.reset();
        return take_made<T>(&part);
    } else if constexpr (is == shape::members) {
        return rebuild_by<T>(members(std::as_const(part)), [&]<class M>(const M& member) {
            return taken(const_cast<M&>(member));  // the object may change, so its members may
        });
    } else if constexpr (is == shape::unique) {
        if (part == nullptr) return std::move(part);
        if constexpr (!std::is_const_v<typename unique_of<T>::part>) {
            renew(*part);
        } else if (taken_ < made_.size() && made_[taken_].of == &*part) {
            const void* const old = &*part;
            part.reset();
            return take_made<T>(old);
        }
        return std::move(part);
    } else if constexpr (is == shape::shared) {
        using pointed_to = std::remove_const_t<typename shared_of<T>::part>;
        if (part == nullptr) return std::move(part);
        const auto* found = renewed_.find(pointee::of<pointed_to>(*part));
        if (found == nullptr) return std::move(part);
        part.reset();
        return T(found->value.template as<typename shared_of<T>::of_mutable>());
    } else {
        if constexpr (is == shape::tuple) {
            for_each_element(part, renew_each);
        } else if constexpr (is == shape::sequence) {
            for (auto& inner : part) renew(inner);
        } else if constexpr (is == shape::map) {
            for (auto& entry : part) renew(entry.second);
        } else if constexpr (is == shape::optional) {
            if (part.has_value()) renew(*part);
        } else if constexpr (is == shape::variant) {
            with_alternative(part, renew_each);
        }
        return std::move(part);
    }
}

}  // namespace devmem::inline v0::detail
