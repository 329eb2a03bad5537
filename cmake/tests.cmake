# How devmem's tests are declared. The name of a test in CTest begins with its path or kind:
# cpu. dynamic. cuda. (the CUDA path over the simulated runtime), compile_fail. headers. packaging.

find_package(doctest REQUIRED)

set(DEVMEM_TEST_SUPPORT "${CMAKE_CURRENT_SOURCE_DIR}/support")
set(DEVMEM_TEST_PATHS "cpu;dynamic;cuda" CACHE STRING "Paths that the tests are built for")
set(DEVMEM_BUILT_PATHS ${DEVMEM_TEST_PATHS})
if(NOT DEVMEM_HAS_CUDA)
    list(REMOVE_ITEM DEVMEM_BUILT_PATHS cuda)
endif()

# One main for every test program, compiled once.
add_library(devmem_test_main OBJECT support/main.cpp)
target_link_libraries(devmem_test_main PUBLIC doctest::doctest PRIVATE devmem_dev_options)
target_compile_features(devmem_test_main PUBLIC cxx_std_20)

# The CUDA path over the simulated runtime. The real one is never linked beside it: what the
# simulation lacked would silently be taken from there.
if(DEVMEM_HAS_CUDA)
    add_library(devmem_cuda_simulated INTERFACE)
    target_link_libraries(devmem_cuda_simulated INTERFACE devmem::devmem simulated_cudart)
    target_compile_definitions(devmem_cuda_simulated INTERFACE DEVMEM_CUDA=1)
    target_include_directories(devmem_cuda_simulated SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
endif()

# A test program of one path: devmem_add_test_program(target path).
function(devmem_add_test_program target path)
    add_executable(${target})
    target_link_libraries(${target} PRIVATE devmem_test_main devmem_dev_options)
    target_include_directories(${target} PRIVATE "${DEVMEM_TEST_SUPPORT}")
    target_compile_definitions(${target} PRIVATE DEVMEM_TEST_BACKEND=${path}_backend
                                                 DEVMEM_TEST_PATH="${path}")
    if(path STREQUAL "cuda")
        target_link_libraries(${target} PRIVATE devmem_cuda_simulated)
        set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY None)
    else()
        target_link_libraries(${target} PRIVATE devmem::devmem)
    endif()
endfunction()

# How sanitizers are to act: an allocation that is too large fails, as it does without them.
set(DEVMEM_SANITIZER_SETTINGS
    ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1:strict_init_order=1
    TSAN_OPTIONS=allocator_may_return_null=1:halt_on_error=1
    UBSAN_OPTIONS=print_stacktrace=1)

# What every run of a test program needs: devmem_set_test_properties(test label...).
function(devmem_set_test_properties test)
    set_tests_properties(
        ${test}
        PROPERTIES LABELS "${ARGN}"
                   SKIP_RETURN_CODE 77
                   TIMEOUT 300
                   ENVIRONMENT "DEVMEM_POISON=1;DEVMEM_CPU_DEVICES=4;SIMULATED_CUDA_DEVICES=4")
endfunction()

# devmem_add_test(name SOURCES file... [PATHS path...] [SCHEDULERS scheduler...] [LABELS label...]
#                 [ENVIRONMENT setting...] [SEPARATE])
#
# The sources join the program unit.<path> of each path (default: all), with DEVMEM_TEST_BACKEND
# naming the backend; SEPARATE gives them a program of their own. CTest runs only their test cases,
# as <path>.<name>, and as <path>.inline.<name> with SCHEDULERS threads inline.
function(devmem_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "SEPARATE" "" "SOURCES;PATHS;SCHEDULERS;LABELS;ENVIRONMENT")
    if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCES)
        message(FATAL_ERROR "devmem_add_test(${name}): no SOURCES, or unknown: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT ARG_PATHS)
        set(ARG_PATHS cpu dynamic cuda)
    endif()
    if(NOT ARG_SCHEDULERS)
        set(ARG_SCHEDULERS threads)
    endif()
    # __FILE__ may be absolute or relative to the build; its end is the same.
    list(TRANSFORM ARG_SOURCES PREPEND "*/tests/" OUTPUT_VARIABLE filters)
    list(JOIN filters "," filter)

    foreach(path IN LISTS ARG_PATHS)
        if(NOT path IN_LIST DEVMEM_BUILT_PATHS)
            continue()
        endif()
        set(program unit.${path})
        if(ARG_SEPARATE)
            set(program ${path}.${name})
        endif()
        if(NOT TARGET ${program})
            devmem_add_test_program(${program} ${path})
        endif()
        target_sources(${program} PRIVATE ${ARG_SOURCES})
        foreach(scheduler IN LISTS ARG_SCHEDULERS)
            set(test ${path}.${name})
            if(NOT scheduler STREQUAL "threads")
                set(test ${path}.${scheduler}.${name})
            endif()
            add_test(NAME ${test} COMMAND ${program} "--source-file=${filter}")
            devmem_set_test_properties(${test} ${path} ${scheduler} ${ARG_LABELS})
            set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "DEVMEM_SCHEDULER=${scheduler}"
                                                                  ${ARG_ENVIRONMENT})
        endforeach()
    endforeach()
endfunction()

# devmem_add_deferred_runs(path EXCLUDING file...): the whole program unit.<path>, but for those
# files, under each seed of the scheduler deferred, as <path>.deferred.seed_<n>. Sixteen seeds run
# always, more of them nightly. Under ThreadSanitizer none does: one piece of work runs at a time,
# and it would see nothing; under AddressSanitizer four do, for their time.
function(devmem_add_deferred_runs path)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "EXCLUDING")
    if(NOT TARGET unit.${path})
        return()
    endif()
    list(TRANSFORM ARG_EXCLUDING PREPEND "*/tests/" OUTPUT_VARIABLE filters)
    list(JOIN filters "," filter)
    foreach(seed RANGE 49)
        set(labels ${path} deferred no_tsan)
        if(seed GREATER 3)
            list(APPEND labels no_asan)
        endif()
        if(seed GREATER 15)
            list(APPEND labels nightly)
        endif()
        set(number ${seed})
        if(seed LESS 10)
            set(number 0${seed})
        endif()
        set(test ${path}.deferred.seed_${number})
        add_test(NAME ${test} COMMAND unit.${path} "--source-file-exclude=${filter}")
        devmem_set_test_properties(${test} ${labels})
        set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "DEVMEM_SCHEDULER=deferred:${seed}")
    endforeach()
endfunction()

# devmem_add_compile_fail(name file): the file compiles as it stands, and with -DDEVMEM_FAIL=n it
# fails with a message that matches the n-th line "// expected: <extended regular expression>".
function(devmem_add_compile_fail name source)
    add_test(NAME compile_fail.${name}
             COMMAND "${DEVMEM_TEST_SUPPORT}/compile_fail.sh" "${CMAKE_CURRENT_SOURCE_DIR}/${source}"
                     "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror
                     "-I${devmem_SOURCE_DIR}/include")
    set_tests_properties(compile_fail.${name} PROPERTIES LABELS compile_fail TIMEOUT 120)
endfunction()
