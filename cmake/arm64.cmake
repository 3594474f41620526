# Toolchain of the preset arm64: Debian's cross compiler g++-aarch64-linux-gnu, libraries from a
# folder that scripts/arm64-sysroot makes, and tests under qemu-user.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

if(DEFINED ENV{KINFORMER_ARM64_SYSROOT})
  set(CMAKE_SYSROOT "$ENV{KINFORMER_ARM64_SYSROOT}")
else()
  get_filename_component(CMAKE_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../build/arm64-sysroot" ABSOLUTE)
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
  "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")

find_program(KINFORMER_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(KINFORMER_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${KINFORMER_QEMU};-L;${CMAKE_SYSROOT}")
endif()
