# The package that projects of plugin authors find: headers, targets, the way a plugin is built. Its version is the ABI's.
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
file(READ plugin_api/include/assay/abi/base.h base_header)
string(REGEX MATCH "ASSAY_ABI_MAJOR ([0-9]+)" found "${base_header}")
set(abi_version ${CMAKE_MATCH_1})
string(REGEX MATCH "ASSAY_ABI_MINOR ([0-9]+)" found "${base_header}")
string(APPEND abi_version .${CMAKE_MATCH_1})

install(TARGETS assay_abi EXPORT assayTargets)
install(EXPORT assayTargets NAMESPACE assay:: DESTINATION ${package} COMPONENT sdk)
install(DIRECTORY plugin_api/include/assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT sdk)
configure_package_config_file(cmake/assayConfig.cmake.in ${PROJECT_BINARY_DIR}/assayConfig.cmake INSTALL_DESTINATION ${package}
                              PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/assayConfigVersion.cmake VERSION ${abi_version}
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/assayConfig.cmake ${PROJECT_BINARY_DIR}/assayConfigVersion.cmake cmake/AssayPlugin.cmake
              cmake/AssayTarget.cmake cmake/plugin_exports.map DESTINATION ${package} COMPONENT sdk)
install(DIRECTORY examples/plugins/ DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/templates COMPONENT sdk)
