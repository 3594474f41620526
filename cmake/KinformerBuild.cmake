# Compiler settings and the functions by which the folders declare themselves.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(KINFORMER_CCACHE ccache)
if(KINFORMER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${KINFORMER_CCACHE}")
endif()

find_package(Threads REQUIRED)

# A program that links with --gc-sections pays for what it uses only.
add_compile_options(-ffunction-sections -fdata-sections)

add_library(kinformer_flags INTERFACE)
target_compile_options(kinformer_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # g++ 12 sees overlapping copies in std::string's own operator+ and insert once it optimises (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # libstdc++ 12's own std::stable_sort uses what it marks as deprecated, and clang says so at each use.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<BOOL:${KINFORMER_WERROR}>:-Werror>)
if(KINFORMER_SANITIZE)
  add_compile_options(-fsanitize=${KINFORMER_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all -O1 -g1)
  add_link_options(-fsanitize=${KINFORMER_SANITIZE})
endif()

# Builds the tests that run under ThreadSanitizer, and nothing else.
add_custom_target(kinformer_concurrency_tests)

# kinformer_layer(NAME SOURCES a.cc... DEPS base... [LIBS third-party...])
#
# One static library for the folder src/NAME, called kinformer_NAME. DEPS are other layers; naming a layer that stands
# below in the list of layers is an error. Private headers are included as "NAME/x.h", public ones as "kinformer/x.h".
set(KINFORMER_LAYERS base wire object api transport config client cache queue controller apiserver)
function(kinformer_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  list(FIND KINFORMER_LAYERS ${name} self)
  if(self EQUAL -1)
    message(FATAL_ERROR "kinformer_layer: ${name} is not in KINFORMER_LAYERS")
  endif()
  set(links)
  foreach(dep ${ARG_DEPS})
    list(FIND KINFORMER_LAYERS ${dep} at)
    if(at EQUAL -1 OR NOT at LESS self)
      message(FATAL_ERROR "layer ${name} may not depend on ${dep}: dependencies point upwards in the list of layers")
    endif()
    list(APPEND links kinformer_${dep})
  endforeach()
  add_library(kinformer_${name} STATIC ${ARG_SOURCES})
  target_include_directories(kinformer_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/src>)
  target_link_libraries(kinformer_${name} PUBLIC ${links} Threads::Threads
    PRIVATE $<BUILD_INTERFACE:kinformer_flags> ${ARG_LIBS})
endfunction()

# kinformer_test(NAME SOURCES a_test.cc... LAYERS cache... [LIBS ...] [LABELS concurrency...] [TIMEOUT s])
#
# One GoogleTest binary, registered with ctest as one test per binary under the label `unit` unless LABELS says otherwise.
function(kinformer_test name)
  if(NOT KINFORMER_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LAYERS;LIBS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set(links)
  foreach(layer ${ARG_LAYERS})
    list(APPEND links kinformer_${layer})
  endforeach()
  target_link_libraries(${name} PRIVATE ${links} ${ARG_LIBS} kinformer_flags GTest::gmock GTest::gtest_main)
  # What is tested is optimised as it ships; the tests themselves need not be, and compile in half the time.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
  if("concurrency" IN_LIST ARG_LABELS)
    add_dependencies(kinformer_concurrency_tests ${name})
  endif()
endfunction()
