/// \file
/// Packs: neighbouring elements that one thread of a GPU reads and writes at once, by 16 bytes of
/// the widest range.
#pragma once

#include <devmem/config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace devmem::inline v0::detail {

constexpr bool is_power_of_two(std::size_t x) noexcept { return (x & (x - 1)) == 0; }

constexpr std::size_t widest(std::size_t a) noexcept { return a; }
template <class... More>
constexpr std::size_t widest(std::size_t a, More... more) noexcept {
    const std::size_t rest = widest(more...);
    return a > rest ? a : rest;
}

/// Elements of a pack of ranges of these types; 1 where they are too wide for packs, or of a size
/// that no access has, or cannot be made but by a constructor.
template <class... T>
inline constexpr std::size_t pack_size = (... && (sizeof(T) <= 8 && is_power_of_two(sizeof(T)) &&
                                                  std::is_trivially_default_constructible_v<T>))
                                             ? 16 / widest(sizeof(T)...)
                                             : 1;

template <class T, std::size_t N>
struct alignas(sizeof(T) * N) element_pack {
    T of[N];
};

template <std::size_t N, class T>
DEVMEM_HD bool is_pack_aligned(const T* data) noexcept {
    return reinterpret_cast<std::uintptr_t>(data) % (sizeof(T) * N) == 0;
}

template <std::size_t N>
struct aligned_packs {
    template <class... T>
    DEVMEM_HD bool operator()(const T*... data) const noexcept {
        return (... && is_pack_aligned<N>(data));
    }
};

/// `f` of each element of the p-th pack.
template <class F, class Result, std::size_t N>
struct pack_of_elements {
    const F& f;
    std::size_t p;
    Result* out;

    template <class... In>
    DEVMEM_HD void operator()(const In*... in) const {
        join(reinterpret_cast<const element_pack<In, N>*>(in)[p]...);
    }

  private:
    template <class... Packs>
    DEVMEM_HD void join(const Packs... in) const {
        element_pack<Result, N> made;
        for (std::size_t i = 0; i < N; ++i) made.of[i] = static_cast<Result>(f(in.of[i]...));
        reinterpret_cast<element_pack<Result, N>*>(out)[p] = made;
    }
};

}  // namespace devmem::inline v0::detail
