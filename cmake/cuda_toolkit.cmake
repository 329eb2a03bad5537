# Looks for the CUDA Toolkit as DEVMEM_CUDA_PATH says, and offers devmem::cuda where there is one.

set(DEVMEM_CUDA_MINIMUM 12.4)

if(NOT DEVMEM_CUDA_PATH MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "DEVMEM_CUDA_PATH is '${DEVMEM_CUDA_PATH}'; it takes AUTO, ON or OFF")
endif()

set(DEVMEM_HAS_CUDA FALSE)
if(DEVMEM_CUDA_PATH STREQUAL "OFF")
    set(DEVMEM_NO_CUDA_REASON "DEVMEM_CUDA_PATH is OFF")
else()
    find_package(CUDAToolkit ${DEVMEM_CUDA_MINIMUM} QUIET)
    if(CUDAToolkit_FOUND)
        set(DEVMEM_HAS_CUDA TRUE)
    elseif(CUDAToolkit_VERSION)
        set(DEVMEM_NO_CUDA_REASON
            "CUDA Toolkit ${CUDAToolkit_VERSION} is older than ${DEVMEM_CUDA_MINIMUM}")
    else()
        set(DEVMEM_NO_CUDA_REASON "no CUDA Toolkit was found (CUDAToolkit_ROOT says where one is)")
    endif()
    if(DEVMEM_CUDA_PATH STREQUAL "ON" AND NOT DEVMEM_HAS_CUDA)
        message(FATAL_ERROR "DEVMEM_CUDA_PATH is ON, but ${DEVMEM_NO_CUDA_REASON}")
    endif()
endif()

if(DEVMEM_HAS_CUDA)
    add_library(devmem::cuda ALIAS devmem_cuda)
endif()
