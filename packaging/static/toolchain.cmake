# Builds for musl with zig's clang, libc++ and linker, from the libraries in KINFORMER_STATIC_PREFIX
# alone, which packaging/static/libraries put there. Nothing of the machine's own libraries is
# found. scripts/package-static passes the variables by the environment, since CMake reads this file
# anew for each try.
set(processor "$ENV{KINFORMER_STATIC_PROCESSOR}")
set(tools "$ENV{KINFORMER_STATIC_TOOLS}")
set(prefix "$ENV{KINFORMER_STATIC_PREFIX}")

# A program for the machine's own processor runs on it, whatever its C library is.
if(NOT processor STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR "${processor}")
endif()
set(CMAKE_C_COMPILER "${tools}/zig-clang")
set(CMAKE_CXX_COMPILER "${tools}/zig-clang++")
set(CMAKE_AR "${tools}/zig-ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${tools}/zig-ranlib" CACHE FILEPATH "")

set(CMAKE_FIND_ROOT_PATH "${prefix}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(OPENSSL_ROOT_DIR "${prefix}")
set(OPENSSL_USE_STATIC_LIBS ON)
set(BOOST_ROOT "${prefix}")
set(Boost_NO_BOOST_CMAKE ON)

# Boost 1.74 does not know that C++20 is without std::result_of and std::unary_function, as this
# libc++ is.
set(CMAKE_CXX_FLAGS_INIT "-DBOOST_ASIO_HAS_STD_INVOKE_RESULT=1 \
-D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION")

# Some libraries are linked by their names alone.
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES "${prefix}/include")
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES "${prefix}/include")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${prefix}/lib")
set(link "${CMAKE_CURRENT_LIST_DIR}/link <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
set(CMAKE_C_LINK_EXECUTABLE "${link}")
set(CMAKE_CXX_LINK_EXECUTABLE "${link}")
