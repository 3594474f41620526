# What is installed: the libraries, headers, and the files for find_package and pkg-config.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(KinformerLibraries)
include(KinformerComponents)

# For this project, too, and for others that have it as a part.
include(KinformerCrds)

if(NOT KINFORMER_INSTALL)
  return()
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kinformer)
foreach(kind static shared)
  if(NOT kinformer_libraries MATCHES "^(${kind}|both)$")
    continue()
  endif()
  set(targets ${kinformer_library_names})
  list(TRANSFORM targets REPLACE "^kinformer-" "")
  list(TRANSFORM targets PREPEND kinformer_${kind}_)
  install(TARGETS ${targets}
    EXPORT kinformer_${kind}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT kinformer_${kind} NAMESPACE kinformer:: FILE kinformer_${kind}.cmake
    DESTINATION ${package_folder})
endforeach()
install(DIRECTORY
  ${PROJECT_SOURCE_DIR}/include/kinformer ${PROJECT_BINARY_DIR}/generated/include/kinformer
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
if(TARGET kinformer)
  install(TARGETS kinformer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# ---- For find_package: a line for each component.
set(KINFORMER_COMPONENT_LINES)
foreach(component ${kinformer_components})
  string(REPLACE ";" " " parts "${kinformer_parts_of_${component}}")
  string(REPLACE "kinformer-" "" parts "${parts}")
  string(REPLACE ";" " " libs "${kinformer_libs_of_${component}}")
  string(APPEND KINFORMER_COMPONENT_LINES
    "kinformer_component(${component} PARTS ${parts} LIBS ${libs})\n")
endforeach()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kinformerConfig.cmake.in
  ${PROJECT_BINARY_DIR}/kinformerConfig.cmake
  INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/kinformerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/kinformerConfig.cmake ${PROJECT_BINARY_DIR}/kinformerConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/KinformerCrds.cmake
  DESTINATION ${package_folder})

# ---- For pkg-config: a file for each component. The folders are found from the file's own. Shared
# libraries know what they need; archives do not, and where there is nothing else, a program is
# linked with all of it without --static, too.
set(package_of_CURL::libcurl libcurl)
set(package_of_OpenSSL::SSL libssl)
set(package_of_OpenSSL::Crypto libcrypto)
set(package_of_ZLIB::ZLIB zlib)
set(package_of_SQLite::SQLite3 sqlite3)
set(package_of_simdjson::simdjson simdjson)
set(package_of_zstd libzstd)
set(package_of_nghttp2 libnghttp2)
set(package_of_re2 re2)
set(package_of_pq libpq)
set(requires Requires.private)
set(threads "\nLibs.private: -pthread")
set(more)
if(kinformer_libraries STREQUAL static)
  set(requires Requires)
  set(threads)
  set(more " -pthread")
endif()
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up "${up}")
foreach(component ${kinformer_components})
  string(REPLACE _ - name kinformer-${component})
  if(component STREQUAL kinformer)
    set(name kinformer)
  endif()
  set(description "${kinformer_description_of_${component}}")
  set(packages)
  foreach(lib ${kinformer_libs_of_${component}})
    if(NOT DEFINED package_of_${lib})
      message(FATAL_ERROR "cmake/KinformerInstall.cmake must name the pkg-config file of ${lib}")
    endif()
    list(APPEND packages ${package_of_${lib}})
  endforeach()
  string(REPLACE ";" " " packages "${packages}")
  set(links ${kinformer_parts_of_${component}})
  list(TRANSFORM links PREPEND " -l")
  string(REPLACE ";" "" links "${links}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/kinformer.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
