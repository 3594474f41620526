# From bytes to blocks, without a network.
find_package(benchmark QUIET)
if(benchmark_FOUND AND TARGET kinformer_demo_cluster)
  add_executable(decode_bench micro/decode_bench.cc)
  target_link_libraries(decode_bench PRIVATE
    kinformer_demo_cluster kinformer_api kinformer_flags benchmark::benchmark)
endif()
