/// \file
/// What depends on the compiler, in one place: marks for functors, visibility, the caller's-bug
/// check.
///
/// Besides `backend/`, this is the only header with conditional compilation.
#pragma once

#include <devmem/messages.hpp>
#include <devmem/version.hpp>

/// \def DEVMEM_HD
/// Marks a functor for host and device; nothing where no CUDA compiler is at work.
/// \def DEVMEM_KERNEL_NAMESPACE
/// The inline namespace of whatever may launch a kernel, whose bodies differ where nvcc makes
/// kernels: two files of one program, compiled either way, then never share such a body.
#if defined(__CUDACC__)
#define DEVMEM_HD __host__ __device__
#else
#define DEVMEM_HD
#endif
#if defined(__CUDACC__) && defined(DEVMEM_CUDA)
#define DEVMEM_KERNEL_NAMESPACE with_kernels
#else
#define DEVMEM_KERNEL_NAMESPACE without_kernels
#endif

/// \def DEVMEM_INDEPENDENT_ITERATIONS
/// Before a loop: no iteration depends on another, so that it may be vectorised without a check.
/// Clang has no such word that does not also demand success, and warn in the user's code where a
/// functor cannot be vectorised; it checks at run time.
#if defined(__GNUC__) && !defined(__clang__)
#define DEVMEM_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define DEVMEM_INDEPENDENT_ITERATIONS
#endif

/// Checks for a caller's bug, in every build: calls the handler of `set_assert_handler`, which by
/// default prints the condition and its place and aborts.
#define DEVMEM_ASSERT(condition)  \
    (static_cast<bool>(condition) \
         ? static_cast<void>(0)   \
         : ::devmem::detail::assertion_failed(#condition, __FILE__, __LINE__))
