# What users link, here, in a subproject and after cmake --install: kinformer::kinformer,
# kinformer::apiserver for the embedded API server on a port, kinformer::apiserver_data for its data
# directory, kinformer::apiserver_etcd for several servers on an etcd, kinformer::testing for a
# server in a test, kinformer::otlp for spans to an OpenTelemetry collector, kinformer::sinks,
# kinformer::sinks_sqlite and kinformer::sinks_postgres (where libpq was there) for mirrors,
# kinformer::pch for kinformer::kinformer with its headers precompiled.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# kinformer_offers(NAME layer...): the target kinformer::NAME.
function(kinformer_offers name)
  add_library(kinformer_offers_${name} INTERFACE)
  target_link_libraries(kinformer_offers_${name} INTERFACE ${ARGN})
  set_target_properties(kinformer_offers_${name} PROPERTIES EXPORT_NAME ${name})
  add_library(kinformer::${name} ALIAS kinformer_offers_${name})
endfunction()
kinformer_offers(kinformer kinformer_cache kinformer_certificates kinformer_client_manifests
  kinformer_workqueue kinformer_controller kinformer_api)
kinformer_offers(apiserver kinformer_apiserver_http kinformer_apiserver)
kinformer_offers(apiserver_data kinformer_apiserver_data kinformer_apiserver)
kinformer_offers(apiserver_etcd kinformer_apiserver_etcd kinformer_apiserver)
kinformer_offers(testing kinformer_testing)
kinformer_offers(otlp kinformer_otlp)
kinformer_offers(sinks kinformer_sinks)
kinformer_offers(sinks_sqlite kinformer_sinks_sqlite kinformer_sinks)
set(sinks_postgres)
set(libpq)
if(TARGET kinformer_sinks_postgres)
  kinformer_offers(sinks_postgres kinformer_sinks_postgres kinformer_sinks)
  set(sinks_postgres kinformer_offers_sinks_postgres)
  set(libpq " libpq")
endif()
# Each target that links it compiles these headers once, and each of its sources begins with them.
kinformer_offers(pch kinformer_offers_kinformer)
target_precompile_headers(kinformer_offers_pch INTERFACE
  <kinformer/kinformer.h> <kinformer/api/appsv1_mutable.h> <kinformer/api/corev1_mutable.h>)

# For this project, too, and for others that have it as a part.
include(KinformerCrds)

if(NOT KINFORMER_INSTALL)
  return()
endif()

set(installed kinformer_offers_kinformer kinformer_offers_apiserver kinformer_offers_apiserver_data
  kinformer_offers_apiserver_etcd kinformer_offers_testing kinformer_offers_otlp
  kinformer_offers_sinks kinformer_offers_sinks_sqlite ${sinks_postgres} kinformer_offers_pch)
set(archives)
foreach(layer ${KINFORMER_LAYERS} api/registry)
  string(REPLACE / _ target kinformer_${layer})
  if(NOT TARGET ${target})
    continue()
  endif()
  list(APPEND installed ${target})
  get_target_property(kind ${target} TYPE)
  if(NOT kind STREQUAL INTERFACE_LIBRARY)
    string(APPEND archives " -l${target}")
  endif()
endforeach()

install(TARGETS ${installed}
  EXPORT kinformerTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY
  ${PROJECT_SOURCE_DIR}/include/kinformer ${PROJECT_BINARY_DIR}/generated/include/kinformer
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
if(TARGET kinformer)
  install(TARGETS kinformer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(BUILD_SHARED_LIBS)
    set_target_properties(kinformer PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  endif()
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
  ${PROJECT_SOURCE_DIR}/cmake/KinformerCrds.cmake
  DESTINATION ${package_folder})

# For pkg-config. Archives name what they need in any order, hence the group; the folders are found
# from the file's own.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up "${up}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/kinformer.pc.in ${PROJECT_BINARY_DIR}/kinformer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kinformer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
