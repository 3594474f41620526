# The libraries that a user links: libkinformer, libkinformer-apiserver, libkinformer-sqlite and
# libkinformer-postgres, each an archive, a shared library or both. They consist of the objects of
# the layers, which are compiled once for both kinds (docs/decisions/0045).

set(KINFORMER_LIBRARIES "" CACHE STRING
    "Libraries to install: static, shared or both; by default what BUILD_SHARED_LIBS says")
set(kinformer_libraries "${KINFORMER_LIBRARIES}")
if(NOT kinformer_libraries)
  set(kinformer_libraries static)
  if(BUILD_SHARED_LIBS)
    set(kinformer_libraries shared)
  endif()
endif()
if(NOT kinformer_libraries MATCHES "^(static|shared|both)$")
  message(FATAL_ERROR "KINFORMER_LIBRARIES is \"${kinformer_libraries}\": "
          "it must be static, shared or both")
endif()

# The number in libkinformer.so.N and in the version of its symbols. Each release whose libraries
# do not fit programs that were linked before has the next one (scripts/abi).
set(KINFORMER_ABI 0)

# The targets of these are known in the folders of layers only.
foreach(package CURL OpenSSL ZLIB SQLite3 simdjson)
  find_package(${package} REQUIRED)
endforeach()

# kinformer_needs(LAYERS LIBS target...): sets LAYERS to the targets of layers that these need,
# themselves included, and LIBS to the libraries of others. Boost's headers are in no public header.
function(kinformer_needs result_layers result_libs)
  set(waiting ${ARGN})
  set(layers)
  set(libs)
  while(waiting)
    list(POP_FRONT waiting target)
    if(NOT target MATCHES "^kinformer_")
      if(NOT target MATCHES "^\\$<|^Threads::|^::@|^Boost::headers$")
        list(APPEND libs ${target})
      endif()
      continue()
    endif()
    get_target_property(target ${target} NAME)
    if(target IN_LIST layers)
      continue()
    endif()
    list(APPEND layers ${target})
    get_target_property(kind ${target} TYPE)
    set(property LINK_LIBRARIES)
    if(kind STREQUAL INTERFACE_LIBRARY)
      set(property INTERFACE_LINK_LIBRARIES)
    endif()
    get_target_property(links ${target} ${property})
    if(links)
      list(APPEND waiting ${links})
    endif()
  endwhile()
  list(REMOVE_DUPLICATES libs)
  list(SORT libs)
  set(${result_layers} ${layers} PARENT_SCOPE)
  set(${result_libs} ${libs} PARENT_SCOPE)
endfunction()

# kinformer_library_of(RESULT TARGET): the library that has the objects of a layer's target.
function(kinformer_library_of result target)
  get_target_property(folder ${target} SOURCE_DIR)
  set(name kinformer)
  if(target MATCHES "^kinformer_sinks_(sqlite|postgres)$")
    set(name kinformer-${CMAKE_MATCH_1})
  elseif(folder MATCHES "^${PROJECT_SOURCE_DIR}/server/")
    set(name kinformer-apiserver)
  endif()
  set(${result} ${name} PARENT_SCOPE)
endfunction()

# The libraries, and the targets of layers in each: kinformer_layers_in_NAME.
set(kinformer_library_names)
foreach(layer ${KINFORMER_LAYERS} api/registry)
  string(REPLACE / _ target kinformer_${layer})
  if(NOT TARGET ${target})
    continue()
  endif()
  get_target_property(kind ${target} TYPE)
  if(NOT kind STREQUAL INTERFACE_LIBRARY)
    kinformer_library_of(name ${target})
    list(APPEND kinformer_layers_in_${name} ${target})
    list(APPEND kinformer_library_names ${name})
  endif()
endforeach()
list(REMOVE_DUPLICATES kinformer_library_names)

# kinformer_whole_library(NAME): the targets kinformer_static_NAME and kinformer_shared_NAME, NAME
# without `kinformer-`. Both are left out of `all` unless they are installed.
function(kinformer_whole_library name)
  string(REGEX REPLACE "^kinformer-" "" short ${name})
  set(objects)
  foreach(layer ${kinformer_layers_in_${name}})
    list(APPEND objects $<TARGET_OBJECTS:${layer}>)
  endforeach()
  foreach(kind static shared)
    string(TOUPPER ${kind} upper)
    add_library(kinformer_${kind}_${short} ${upper} EXCLUDE_FROM_ALL ${objects})
    set_target_properties(kinformer_${kind}_${short} PROPERTIES
      LINKER_LANGUAGE CXX OUTPUT_NAME ${name} EXPORT_NAME ${kind}_${short})
    if(KINFORMER_INSTALL AND kinformer_libraries MATCHES "^(${kind}|both)$")
      set_target_properties(kinformer_${kind}_${short} PROPERTIES EXCLUDE_FROM_ALL OFF)
    endif()
  endforeach()

  # What programs see of the shared one is in the map.
  set(others)
  foreach(other ${kinformer_library_names})
    if(name STREQUAL kinformer AND NOT other STREQUAL kinformer)
      string(REGEX REPLACE "^kinformer-" "" other ${other})
      list(APPEND others $<TARGET_FILE:kinformer_static_${other}>)
    endif()
  endforeach()
  set(map ${PROJECT_BINARY_DIR}/${name}.map)
  set(script ${PROJECT_SOURCE_DIR}/cmake/exported_symbols.py)
  add_custom_command(OUTPUT ${map}
    COMMAND ${Python3_EXECUTABLE} -B ${script} --abi ${KINFORMER_ABI} --nm ${CMAKE_NM}
      --sources ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/server
        ${PROJECT_BINARY_DIR}/generated/src --out ${map}
      -- $<TARGET_FILE:kinformer_static_${short}> ${others}
    DEPENDS ${script} $<TARGET_FILE:kinformer_static_${short}> ${others}
    COMMENT "Symbols of lib${name}.so" VERBATIM)
  add_custom_target(kinformer_map_${short} DEPENDS ${map})
  set(shared kinformer_shared_${short})
  add_dependencies(${shared} kinformer_map_${short})
  kinformer_needs(layers libs ${kinformer_layers_in_${name}})
  set(whole)
  if(NOT name STREQUAL kinformer)
    set(whole kinformer_shared_kinformer)
    # An archive stands in front of those that it needs.
    target_link_libraries(kinformer_static_${short} INTERFACE kinformer_static_kinformer)
  endif()
  target_link_libraries(${shared} PRIVATE ${whole} ${libs} Threads::Threads)
  target_link_options(${shared} PRIVATE LINKER:--version-script=${map} LINKER:-z,defs
    LINKER:--gc-sections LINKER:-O1)
  set_target_properties(${shared} PROPERTIES
    LINK_DEPENDS ${map} SOVERSION ${KINFORMER_ABI}
    VERSION ${KINFORMER_ABI}.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH}
    INSTALL_RPATH "$ORIGIN")
endfunction()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(name ${kinformer_library_names})
  kinformer_whole_library(${name})
endforeach()
