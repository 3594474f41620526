# Runs the generator while CMake configures, so that generated headers are there for every folder
# from the start. A change of a table or of the generator makes CMake configure again.

include_guard(GLOBAL)

find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

set(KINFORMER_GENERATED "${PROJECT_BINARY_DIR}/generated")
file(GLOB KINFORMER_CODEGEN_INPUTS CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/schema/*.tsv" "${PROJECT_SOURCE_DIR}/codegen/*.py")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${KINFORMER_CODEGEN_INPUTS})
execute_process(
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/codegen/generate.py"
          "${PROJECT_SOURCE_DIR}/schema" "${KINFORMER_GENERATED}"
  COMMAND_ERROR_IS_FATAL ANY)
include("${KINFORMER_GENERATED}/sources.cmake")
