# The sources are those of the repository that this port stands in, unless KINFORMER_SOURCE names
# others; a registry has vcpkg_from_git here.
if(DEFINED ENV{KINFORMER_SOURCE})
  set(SOURCE_PATH "$ENV{KINFORMER_SOURCE}")
else()
  get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
endif()

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES
  tools KINFORMER_BUILD_CLI
  postgres KINFORMER_POSTGRES)

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${options}
    -DKINFORMER_BUILD_TESTS=OFF
    -DKINFORMER_BUILD_EXAMPLES=OFF
    -DKINFORMER_BUILD_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/kinformer)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES kinformer AUTO_CLEAN)
endif()
file(REMOVE_RECURSE
  "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/man")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
