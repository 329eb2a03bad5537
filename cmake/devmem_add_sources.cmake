# devmem_add_sources(target file...)
#
# Adds sources that launch work on elements. In a project that has enabled the language CUDA nvcc
# compiles them, whatever their names end in, with lambdas for host and device, and the target links
# devmem::cuda; elsewhere they are plain C++ for devmem::devmem. So one list of files serves machines
# with and without a CUDA Toolkit.
function(devmem_add_sources target)
    if(NOT TARGET ${target})
        message(FATAL_ERROR "devmem_add_sources: there is no target '${target}'; add it first")
    endif()
    if(NOT ARGN)
        message(FATAL_ERROR "devmem_add_sources(${target}): name at least one file")
    endif()
    target_sources(${target} PRIVATE ${ARGN})
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT "CUDA" IN_LIST languages)
        target_link_libraries(${target} PRIVATE devmem::devmem)
        return()
    endif()
    if(NOT TARGET devmem::cuda)
        message(FATAL_ERROR "devmem_add_sources(${target}): the language CUDA is enabled, but "
                            "devmem::cuda is not there; find devmem with COMPONENTS cuda")
    endif()
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
    target_compile_options(
        ${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:--extended-lambda>)
    target_link_libraries(${target} PRIVATE devmem::cuda)
endfunction()
