# The two targets that users link. Nothing here looks for the CUDA Toolkit: devmem_cuda names the
# toolkit's targets, and who uses it finds them. So a package that was installed on a machine
# without CUDA serves one that has it.

find_package(Threads REQUIRED)

add_library(devmem INTERFACE)
add_library(devmem::devmem ALIAS devmem)
target_sources(devmem INTERFACE FILE_SET HEADERS BASE_DIRS include FILES ${DEVMEM_HEADERS})
target_compile_features(devmem INTERFACE cxx_std_20)
target_link_libraries(devmem INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

# CMake before 3.25.2 does not know how nvcc is asked for C++20. This holds for the CMake that runs
# now; the package asks again where it is used.
if(CMAKE_VERSION VERSION_LESS 3.25.2)
    target_compile_options(
        devmem INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20>>)
endif()

# The CUDA runtime is the one that the target linked in the end has chosen by its property
# CUDA_RUNTIME_LIBRARY, and else CMake's default. CMake obeys the same two for code of the CUDA
# language, so a program gets one runtime, never both.
add_library(devmem_cuda INTERFACE)
set_target_properties(devmem_cuda PROPERTIES EXPORT_NAME cuda DEVMEM_DEFAULT_RUNTIME
                                             "${CMAKE_CUDA_RUNTIME_LIBRARY_DEFAULT}")
target_compile_definitions(devmem_cuda INTERFACE DEVMEM_CUDA=1)

set(DEVMEM_CHOICE "$<GENEX_EVAL:$<TARGET_PROPERTY:CUDA_RUNTIME_LIBRARY>>")
set(DEVMEM_DEFAULT "$<TARGET_PROPERTY:devmem_cuda,DEVMEM_DEFAULT_RUNTIME>")
set(DEVMEM_RUNTIME
    "$<LOWER_CASE:$<IF:$<BOOL:${DEVMEM_CHOICE}>,${DEVMEM_CHOICE},${DEVMEM_DEFAULT}>>")
target_link_libraries(
    devmem_cuda
    INTERFACE
        devmem
        CUDA::toolkit
        $<$<STREQUAL:${DEVMEM_RUNTIME},shared>:CUDA::cudart>
        $<$<OR:$<STREQUAL:${DEVMEM_RUNTIME},>,$<STREQUAL:${DEVMEM_RUNTIME},static>>:CUDA::cudart_static>
)
