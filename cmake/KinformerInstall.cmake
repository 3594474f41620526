# cmake --install and find_package(kinformer).
#
# Users link kinformer::kinformer, and kinformer::apiserver for the embedded API server.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(installed_layers)
foreach(layer ${KINFORMER_LAYERS})
  if(TARGET kinformer_${layer})
    list(APPEND installed_layers kinformer_${layer})
  endif()
endforeach()
foreach(extra kinformer_api_registry kinformer_apiserver_http kinformer_apiserver_testing)
  if(TARGET ${extra})
    list(APPEND installed_layers ${extra})
  endif()
endforeach()

install(TARGETS ${installed_layers}
  EXPORT kinformerTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kinformer ${PROJECT_BINARY_DIR}/generated/include/kinformer
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
if(TARGET kinformer)
  install(TARGETS kinformer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT kinformerTargets NAMESPACE kinformer:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kinformer)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kinformerConfig.cmake.in
  ${PROJECT_BINARY_DIR}/kinformerConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kinformer)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kinformerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kinformerConfig.cmake ${PROJECT_BINARY_DIR}/kinformerConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kinformer)
