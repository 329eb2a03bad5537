# Warnings and sanitizers for what devmem itself builds. They come by a target that is linked
# privately and never exported: nothing global is touched, and users get none of it. Headers are
# found through -I, so the warnings hold for them too.

add_library(devmem_dev_options INTERFACE)

set(DEVMEM_IS_CXX $<COMPILE_LANGUAGE:CXX>)
set(DEVMEM_IS_NVCC $<COMPILE_LANG_AND_ID:CUDA,NVIDIA>)

target_compile_options(
    devmem_dev_options
    INTERFACE
        "$<${DEVMEM_IS_CXX}:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wsign-conversion;-Wshadow;-Wold-style-cast>"
        # The code that nvcc hands to the host compiler is not pedantic and has old-style casts.
        "$<${DEVMEM_IS_NVCC}:-Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow>")
# What clang has against code that nvcc has written: its words for designators, and its lambdas.
if(CMAKE_CUDA_HOST_COMPILER MATCHES "clang")
    target_compile_options(
        devmem_dev_options
        INTERFACE
            "$<${DEVMEM_IS_NVCC}:-Xcompiler=-Wno-gnu-designator,-Wno-deprecated-copy,-Wno-unused-lambda-capture>"
    )
endif()
if(DEVMEM_WARNINGS_AS_ERRORS)
    target_compile_options(
        devmem_dev_options INTERFACE $<${DEVMEM_IS_CXX}:-Werror>
                                     $<${DEVMEM_IS_NVCC}:-Werror=all-warnings>)
endif()

if(DEVMEM_SANITIZE STREQUAL "address")
    # One sanitizer an option: nvcc splits what it passes on at commas. Without vptr, for which a
    # library would need what clang gives to C++ programs only.
    set(DEVMEM_SANITIZE_FLAGS -fsanitize=address -fsanitize=undefined -fno-sanitize=vptr -fno-sanitize-recover=all
                              -fno-omit-frame-pointer)
elseif(DEVMEM_SANITIZE STREQUAL "thread")
    set(DEVMEM_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT DEVMEM_SANITIZE STREQUAL "")
    message(FATAL_ERROR "DEVMEM_SANITIZE is '${DEVMEM_SANITIZE}'; it takes address, thread or nothing")
endif()
foreach(flag IN LISTS DEVMEM_SANITIZE_FLAGS)
    target_compile_options(devmem_dev_options INTERFACE $<${DEVMEM_IS_CXX}:${flag}>
                                                        "$<${DEVMEM_IS_NVCC}:SHELL:-Xcompiler ${flag}>")
    target_link_options(devmem_dev_options INTERFACE ${flag})
endforeach()
