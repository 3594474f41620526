# cmake --install and find_package(kinformer).
#
# Users link kinformer::kinformer, and kinformer::apiserver for the embedded API server.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(installed_layers)
foreach(layer ${KINFORMER_LAYERS})
  string(REPLACE / _ target kinformer_${layer})
  if(TARGET ${target})
    list(APPEND installed_layers ${target})
  endif()
endforeach()
if(TARGET kinformer_api_registry)
  list(APPEND installed_layers kinformer_api_registry)
endif()

install(TARGETS ${installed_layers}
  EXPORT kinformerTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY
  ${PROJECT_SOURCE_DIR}/include/kinformer ${PROJECT_BINARY_DIR}/generated/include/kinformer
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
if(TARGET kinformer)
  install(TARGETS kinformer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kinformer)
install(EXPORT kinformerTargets NAMESPACE kinformer:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kinformerConfig.cmake.in
  ${PROJECT_BINARY_DIR}/kinformerConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/kinformerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/kinformerConfig.cmake ${PROJECT_BINARY_DIR}/kinformerConfigVersion.cmake
  DESTINATION ${package_folder})
