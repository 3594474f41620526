# Compiler settings and the functions by which the folders declare themselves.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# In the place of CMake's own default, which makes larger programs that are no faster. What a user
# has set stays.
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

find_program(KINFORMER_CCACHE ccache)
if(KINFORMER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${KINFORMER_CCACHE}")
endif()

find_package(Threads REQUIRED)

# A program that links with --gc-sections pays for what it uses only. g++ collects its garbage first
# when it has 512 MB, which few sources need: that takes a tenth of the time of larger ones.
add_compile_options(-ffunction-sections -fdata-sections
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)

# boost 1.74 looks for the coroutines of C++20 with g++ only; clang has them, too.
add_compile_options($<$<CXX_COMPILER_ID:Clang>:-DBOOST_ASIO_HAS_CO_AWAIT=1>)

add_library(kinformer_flags INTERFACE)
target_compile_options(kinformer_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # g++ 12 sees overlapping copies in std::string's own operator+ and insert once it optimises (GCC
  # bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # libstdc++ 12's own std::stable_sort uses what it marks as deprecated, and clang says so at each
  # use.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<BOOL:${KINFORMER_WERROR}>:-Werror>)
if(KINFORMER_CHECK_VIEWS)
  add_compile_definitions(KINFORMER_CHECK_VIEWS)
endif()
# Links in half of the time or less. What is installed is linked by the system's own linker.
find_program(KINFORMER_GOLD ld.gold)
if(KINFORMER_SANITIZE)
  add_compile_definitions(KINFORMER_CHECKS_FORKS)  # src/base/core/mutex.h
  add_compile_options(-fsanitize=${KINFORMER_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all -O1 -g1)
  add_link_options(-fsanitize=${KINFORMER_SANITIZE})
  if(KINFORMER_GOLD)
    add_link_options(-fuse-ld=gold)
  endif()
endif()

# Builds the tests that run under ThreadSanitizer, and nothing else.
add_custom_target(kinformer_concurrency_tests)

# Builds what neither a user nor the default suite needs, and `all` leaves out: benchmarks, checks
# that CI makes, and programs for tests with the labels realserver, go and nightly.
add_custom_target(kinformer_more)
function(kinformer_not_in_default_suite)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(kinformer_more ${ARGN})
endfunction()

# The layers, lowest first. A folder of src may link only to folders that stand before it here. A
# name with a slash is a room of a larger folder, which stands after its rooms and is the group of
# them.
set(KINFORMER_LAYERS
  base/core
  base/text
  base/loop
  base
  wire
  object/block
  object/values
  object/transcode
  object/entry
  object
  api
  transport
  otlp
  x509
  http
  config
  client
  client/tools
  client/manifests
  cache/store
  cache/figures
  cache/deltas
  cache/watch
  cache/delivery
  cache/apply
  cache/check
  cache/informer
  cache/factory
  cache/boxes
  cache/tools
  cache
  sinks/feed
  sinks/lines
  sinks/tables
  sinks
  sinks/sqlite
  sinks/postgres
  certificates
  workqueue
  controller/causes
  controller/fights
  controller/certificates
  controller/endpoints
  controller/debug
  controller/matching
  controller/delegating
  controller/events
  controller/election
  controller/helpers
  controller/webhook
  controller/webhook_listener
  controller/reconcile
  controller/manager
  controller
  table
  cel
  apiserver/store
  apiserver/errors
  apiserver/schema
  apiserver/registry
  apiserver/expressions
  apiserver/authorization
  apiserver/builtin
  apiserver/plugins
  apiserver/request
  apiserver/webhook
  apiserver/conversion
  apiserver/ownership
  apiserver/admission
  apiserver/read
  apiserver/write/object
  apiserver/write/request
  apiserver/write/background
  apiserver/workloads
  apiserver/node
  apiserver/discovery
  apiserver/faults
  apiserver/audit
  apiserver/server
  apiserver
  apiserver/data
  apiserver/etcd
  apiserver/http
  testing)

# Sets `result` to the targets of `layers`, which must stand before the layer `name`.
function(kinformer_layers_before name result)
  list(FIND KINFORMER_LAYERS ${name} self)
  if(self EQUAL -1)
    message(FATAL_ERROR "${name} is not in KINFORMER_LAYERS")
  endif()
  set(targets)
  foreach(layer ${ARGN})
    list(FIND KINFORMER_LAYERS ${layer} at)
    if(at EQUAL -1 OR NOT at LESS self)
      message(FATAL_ERROR "${name} may not depend on ${layer}: "
              "a layer links only to those before it in KINFORMER_LAYERS")
    endif()
    string(REPLACE / _ target kinformer_${layer})
    list(APPEND targets ${target})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# kinformer_library(TARGET a.cc...)
#
# An archive with a part of the library; cmake/KinformerLibraries.cmake makes what is installed out
# of their objects. Whoever links it compiles as C++20, as its headers need.
function(kinformer_library target)
  add_library(${target} STATIC ${ARGN})
  target_compile_features(${target} PUBLIC cxx_std_20)
endfunction()

# The standard library's headers, compiled once: reading them takes nearly half of the time that a
# source takes. Builds without KINFORMER_PRECOMPILED show where one is missing: scripts/tidy, and
# the preset debug, which scripts/nightly builds.
if(KINFORMER_PRECOMPILED)
  add_library(kinformer_library_headers STATIC EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/cmake/library_headers.cc)
  target_link_libraries(kinformer_library_headers PRIVATE kinformer_flags Threads::Threads)
  target_precompile_headers(kinformer_library_headers PRIVATE
    <algorithm> <array> <atomic> <charconv> <chrono> <cstddef> <cstdint> <deque> <functional>
    <limits> <list> <map> <memory> <mutex> <optional> <set> <span> <stop_token> <string>
    <string_view> <thread> <tuple> <unordered_map> <unordered_set> <utility> <variant> <vector>)
endif()

# kinformer_precompiled(TARGET)
#
# Compiles TARGET, which is optimised as the library is, with the library's precompiled headers.
function(kinformer_precompiled target)
  if(NOT TARGET kinformer_library_headers)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM kinformer_library_headers)
  # g++ 12 warns of copies of short strings, wrongly, and does not see that they are in a header of
  # the system where that was precompiled.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()

# kinformer_quick_options(LEVEL RESULT)
#
# Sets RESULT to the options -O1 or -Og where the build is optimised and g++ compiles it; clang
# refuses headers that were precompiled with other options. A coroutine that goes on in another one
# needs a call in the last place that takes no stack. With -Og, g++ 12 warns of empty
# std::optionals, wrongly.
function(kinformer_quick_options level result)
  set(options)
  if(NOT KINFORMER_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set(options ${level} -foptimize-sibling-calls)
    if(level STREQUAL -Og)
      list(APPEND options -Wno-maybe-uninitialized)
    endif()
    # Parts of -O2 that newer compilers (g++ 14) refuse to differ from those of precompiled headers.
    # They have no effect without -funroll-loops and without AVX.
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13 AND
       CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
      list(APPEND options -munroll-only-small-loops -mvzeroupper)
    endif()
    set(options "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:${options}>")
  endif()
  set(${result} "${options}" PARENT_SCOPE)
endfunction()

# kinformer_cold(TARGET LEVEL a.cc...)
#
# Has sources that run seldom compiled with LEVEL, one batch for several. -O1 takes a quarter less
# than -O2, a quarter less than -Os too, and makes smaller objects than both. -Og takes a quarter
# less than -O1, and its objects are a ninth larger.
function(kinformer_cold target level)
  kinformer_quick_options(${level} options)
  if(options)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${options}")
  endif()
  kinformer_batched(${target} library "${options}" ${ARGN})
endfunction()

# kinformer_hot(TARGET a.cc...)
#
# Has sources that run for each object, event or read compiled for speed, whatever the others are
# compiled for (KINFORMER_SMALL): without the precompiled headers then, since clang refuses those of
# another level. The server's sources are small even so: a command that must be small serves tests.
function(kinformer_hot target)
  set(options)
  if(KINFORMER_SMALL AND NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/server/")
    set(options -O2)
    set_source_files_properties(${ARGN} PROPERTIES
      COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
  endif()
  kinformer_batched(${target} library "${options}" ${ARGN})
endfunction()

# kinformer_layer(NAME [SOURCES a.cc...] [COLD c.cc...] [RARE e.cc...] [GENERATED d.cc...]
# [OFFERS a.h...] [PUBLIC b.h...] [DEPS base...] [LIBS x...])
#
# One library for the folder src/NAME or server/NAME, whose CMakeLists.txt calls this. NAME may be a
# path: the library of a/b is kinformer_a_b. COLD are sources that run neither for each object or
# event nor for each read of a cache (kinformer_cold). RARE are sources that do not run for each
# request either: at a start, at an answer to a person, once in seconds. OFFERS are the headers that
# later layers may include; the others are for the folder and its tests. PUBLIC are the headers of
# include/kinformer that it implements. DEPS are layers that stand before this one. Private headers
# are included as "NAME/x.h", public ones as "kinformer/x.h". scripts/layers checks all of that.
function(kinformer_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;COLD;RARE;GENERATED;OFFERS;PUBLIC;DEPS;LIBS" ${ARGN})
  kinformer_layers_before(${name} links ${ARG_DEPS})
  string(REPLACE / _ target kinformer_${name})
  kinformer_library(${target} ${ARG_SOURCES} ${ARG_COLD} ${ARG_RARE} ${ARG_GENERATED})
  kinformer_hot(${target} ${ARG_SOURCES})
  string(REGEX REPLACE "/${name}$" "" root "${CMAKE_CURRENT_SOURCE_DIR}")
  set(level -O1)
  if(root STREQUAL "${PROJECT_SOURCE_DIR}/server")
    set(level -Og)
  endif()
  kinformer_cold(${target} ${level} ${ARG_COLD})
  kinformer_cold(${target} -Og ${ARG_RARE})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${root}>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/src>)
  target_link_libraries(${target} PUBLIC ${links} Threads::Threads
    PRIVATE $<BUILD_INTERFACE:kinformer_flags> ${ARG_LIBS})
  kinformer_precompiled(${target})
endfunction()

# kinformer_group(NAME a/b...)
#
# The target kinformer_NAME for the rooms of the folder NAME: who links it links them all.
function(kinformer_group name)
  kinformer_layers_before(${name} links ${ARGN})
  add_library(kinformer_${name} INTERFACE)
  target_link_libraries(kinformer_${name} INTERFACE ${links})
endfunction()

# kinformer_part(FOLDER [MAY_INCLUDE wire...] [PRIVATE_OF object...])
#
# What the sources of FOLDER, which is no part of the library, may include beside public headers:
# what the layers of MAY_INCLUDE offer, and every header of those of PRIVATE_OF. scripts/layers
# reads it.
function(kinformer_part folder)
  cmake_parse_arguments(ARG "" "" "MAY_INCLUDE;PRIVATE_OF" ${ARGN})
  foreach(layer ${ARG_MAY_INCLUDE} ${ARG_PRIVATE_OF})
    if(NOT layer IN_LIST KINFORMER_LAYERS)
      message(FATAL_ERROR "${folder} names ${layer}, which is not in KINFORMER_LAYERS")
    endif()
  endforeach()
endfunction()

# What is tested is optimised as it ships; the tests themselves need not be, and compile in half the
# time. A null pointer ends a test without a check at each use of one.
set(KINFORMER_TEST_OPTIONS -O0)
if(KINFORMER_SANITIZE MATCHES undefined)
  list(APPEND KINFORMER_TEST_OPTIONS -fno-sanitize=null,alignment)
endif()

# The headers that nearly every test needs, compiled once: without that they take half of the time
# that a test takes. What they leave for the compiler to do in each source takes a third of the
# rest, so kinformer_make_batches makes fewer sources.
if(KINFORMER_BUILD_TESTS AND KINFORMER_PRECOMPILED)
  add_executable(kinformer_test_headers EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/cmake/test_headers.cc)
  target_link_libraries(kinformer_test_headers PRIVATE
    kinformer_flags GTest::gmock GTest::gtest_main Threads::Threads)
  target_compile_options(kinformer_test_headers PRIVATE ${KINFORMER_TEST_OPTIONS})
  target_precompile_headers(kinformer_test_headers PRIVATE
    <gmock/gmock.h> <gtest/gtest.h> <algorithm> <array> <atomic> <chrono> <cstdint> <functional>
    <initializer_list> <map> <memory> <optional> <set> <string> <string_view> <thread> <utility>
    <variant> <vector>)
endif()

# kinformer_test(NAME SOURCES a_test.cc... LAYERS cache... [LIBS ...] [LABELS concurrency...]
# [TIMEOUT s])
#
# One GoogleTest binary, registered with ctest as one test per binary under the label `unit` unless
# LABELS says otherwise.
function(kinformer_test name)
  if(NOT KINFORMER_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LAYERS;LIBS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set(links)
  foreach(layer ${ARG_LAYERS})
    string(REPLACE / _ target kinformer_${layer})
    list(APPEND links ${target})
  endforeach()
  target_link_libraries(${name} PRIVATE
    ${links} ${ARG_LIBS} kinformer_flags GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${KINFORMER_TEST_OPTIONS})
  if(KINFORMER_GOLD)
    target_link_options(${name} PRIVATE -fuse-ld=gold)
  endif()
  if(KINFORMER_PRECOMPILED)
    target_precompile_headers(${name} REUSE_FROM kinformer_test_headers)
    set(tests ${ARG_SOURCES})
    list(FILTER tests INCLUDE REGEX "_test\\.cc$")
    kinformer_batched(${name} tests "" ${tests})
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(KINFORMER_SANITIZE)
    math(EXPR ARG_TIMEOUT "5 * ${ARG_TIMEOUT}")
  elseif(CMAKE_CROSSCOMPILING)
    math(EXPR ARG_TIMEOUT "10 * ${ARG_TIMEOUT}")  # emulated
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
  if("concurrency" IN_LIST ARG_LABELS)
    add_dependencies(kinformer_concurrency_tests ${name})
  endif()
endfunction()

# kinformer_batched(TARGET KIND OPTIONS a.cc...)
#
# Has these sources of TARGET, which are all compiled with OPTIONS, put into batches. KIND is
# `tests` or `library`.
function(kinformer_batched target kind options)
  if(kind STREQUAL library AND NOT KINFORMER_BATCHES)
    return()
  endif()
  set(line "${target}\t${kind}\t${options}")
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    string(APPEND line "\t${source}")
  endforeach()
  set_property(GLOBAL APPEND_STRING PROPERTY KINFORMER_BATCHED "${line}\n")
endfunction()

# kinformer_batch(TARGET OPTIONS BATCH a.cc...)
#
# BATCH, which has the other sources in it, is compiled in place of them.
function(kinformer_batch target options batch)
  # g++ takes what is in a source that it includes for a header's, whose types all may use.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND options -Wno-subobject-linkage)
  endif()
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
  set_source_files_properties(${batch} TARGET_DIRECTORY ${target} PROPERTIES
    COMPILE_OPTIONS "${options}" GENERATED ON)
  if("-O2" IN_LIST options)
    set_source_files_properties(${batch} TARGET_DIRECTORY ${target} PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON)
  endif()
  target_sources(${target} PRIVATE ${batch})
endfunction()

# kinformer_make_batches()
#
# Several sources of one program or library are compiled as one, where that changes nothing for them
# (cmake/batches.py). Called once, after all of them are declared. Which ones go together is found
# out when CMake configures, so configure again where a new name meets one of another source.
function(kinformer_make_batches)
  get_property(lines GLOBAL PROPERTY KINFORMER_BATCHED)
  if(NOT lines)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(folder ${PROJECT_BINARY_DIR}/batches)
  file(WRITE ${folder}/sources.txt "${lines}")
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/cmake/batches.py" ${folder}
    INPUT_FILE ${folder}/sources.txt COMMAND_ERROR_IS_FATAL ANY)
  include(${folder}/batches.cmake)
  # Writes the batches of tests, and anew after a change to a test.
  file(STRINGS ${folder}/joined.txt lines)
  set(batches)
  set(sources)
  foreach(line ${lines})
    string(REPLACE "\t" ";" files "${line}")
    list(POP_FRONT files batch)
    list(APPEND batches ${batch})
    list(APPEND sources ${files})
    get_filename_component(target ${batch} DIRECTORY)
    get_filename_component(target ${target} NAME)
    list(APPEND targets ${target})
  endforeach()
  if(NOT batches)
    return()
  endif()
  add_custom_command(OUTPUT ${folder}/joined.stamp
    BYPRODUCTS ${batches}
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/cmake/batches.py" --join ${folder}
    COMMAND "${CMAKE_COMMAND}" -E touch ${folder}/joined.stamp
    DEPENDS ${sources} ${folder}/joined.txt "${PROJECT_SOURCE_DIR}/cmake/batches.py"
    COMMENT "Batches of tests" VERBATIM)
  add_custom_target(kinformer_test_batches DEPENDS ${folder}/joined.stamp)
  list(REMOVE_DUPLICATES targets)
  foreach(target ${targets})
    add_dependencies(${target} kinformer_test_batches)
  endforeach()
endfunction()
