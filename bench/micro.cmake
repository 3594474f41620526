# From bytes to blocks, without a network; beside libprotobuf, simdjson and nlohmann where they are
# installed.
find_package(benchmark QUIET)
if(benchmark_FOUND AND TARGET kinformer_demo_cluster)
  add_executable(decode_bench micro/decode_bench.cc micro/data.cc micro/pods.cc)
  target_include_directories(decode_bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(decode_bench PRIVATE
    kinformer_demo_cluster kinformer_api kinformer_flags
    benchmark::benchmark benchmark::benchmark_main)
  find_package(Protobuf QUIET)
  find_package(simdjson QUIET)
  find_path(KINFORMER_NLOHMANN nlohmann/json.hpp)
  if(Protobuf_FOUND AND simdjson_FOUND AND KINFORMER_NLOHMANN)
    target_sources(decode_bench PRIVATE micro/peers_bench.cc
      ${PROJECT_SOURCE_DIR}/src/api/testing/oracle_schema.cc)
    target_link_libraries(decode_bench PRIVATE protobuf::libprotobuf simdjson::simdjson)
  endif()
endif()
