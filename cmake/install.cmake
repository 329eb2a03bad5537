# Installs the headers and a package that may be moved. The component cuda has an export of its
# own, which the package reads only where it is asked for.

include(CMakePackageConfigHelpers)

# The places that the project on top has chosen. GNUInstallDirs is not included: it would put its
# dozen variables into a parent's cache.
set(DEVMEM_PACKAGE_DIR "share/cmake/devmem")
if(CMAKE_INSTALL_DATADIR)
    set(DEVMEM_PACKAGE_DIR "${CMAKE_INSTALL_DATADIR}/cmake/devmem")
endif()

install(TARGETS devmem EXPORT devmemTargets FILE_SET HEADERS)
install(TARGETS devmem_cuda EXPORT devmemCudaTargets)
install(EXPORT devmemTargets NAMESPACE devmem:: DESTINATION ${DEVMEM_PACKAGE_DIR})
install(EXPORT devmemCudaTargets NAMESPACE devmem:: DESTINATION ${DEVMEM_PACKAGE_DIR})

# A header-only package fits every architecture.
write_basic_package_version_file(
    devmemConfigVersion.cmake COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
configure_package_config_file(
    cmake/devmemConfig.cmake.in devmemConfig.cmake
    INSTALL_DESTINATION ${DEVMEM_PACKAGE_DIR}
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/devmemConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/devmemConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/devmem_add_sources.cmake"
        DESTINATION ${DEVMEM_PACKAGE_DIR})
