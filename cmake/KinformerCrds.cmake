# kinformer_crd_program(TARGET HEADERS a.h... KINDS Kind... [LIBRARIES target...])
#
# A program that prints the definitions of these structs, for `kinformer crd gen TARGET`. HEADERS
# are included as they stand; the folder of the CMakeLists.txt is searched for them. Structs of
# several versions of a kind are named one after the other: v1::Website v2::Website.
function(kinformer_crd_program target)
  cmake_parse_arguments(ARG "" "" "HEADERS;KINDS;LIBRARIES" ${ARGN})
  if(NOT ARG_HEADERS OR NOT ARG_KINDS)
    message(FATAL_ERROR "kinformer_crd_program(${target}) needs HEADERS and KINDS")
  endif()
  set(text "#include <iostream>\n\n#include <kinformer/object/crd.h>\n\n")
  foreach(header ${ARG_HEADERS})
    string(APPEND text "#include \"${header}\"\n")
  endforeach()
  list(JOIN ARG_KINDS ", " kinds)
  string(APPEND text
    "\nint main() { std::cout << kinformer::crd::Yaml<${kinds}>().OrExit(); }\n")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
  add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE kinformer::kinformer ${ARG_LIBRARIES})
endfunction()
