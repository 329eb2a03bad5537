/// \file
/// The version of devmem, for the preprocessor and for the package.
#pragma once

/// Changes when an interface changes incompatibly; also names the inline namespace (`v0`).
#define DEVMEM_VERSION_MAJOR 0
/// Changes when something is added.
#define DEVMEM_VERSION_MINOR 1
/// Changes when something is mended.
#define DEVMEM_VERSION_PATCH 0
