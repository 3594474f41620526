find_package(benchmark QUIET)
if(benchmark_FOUND)
  add_executable(store_bench store_bench.cc)
  target_link_libraries(store_bench PRIVATE kinformer_cache kinformer_flags benchmark::benchmark)
endif()
# RSS of a cache after relists, ten million updates and a mass deletion.
if(TARGET kinformer_demo_cluster)
  add_executable(churn_bench churn_bench.cc e2e/pod_source.cc)
  target_include_directories(churn_bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(churn_bench PRIVATE
    kinformer_demo_cluster kinformer_cache kinformer_api kinformer_flags)
endif()
# Reads beside a map without locks.
find_package(absl QUIET)
if(absl_FOUND AND TARGET kinformer_demo_cluster)
  add_executable(read_bench read_bench.cc)
  target_link_libraries(read_bench PRIVATE
    kinformer_demo_cluster kinformer_cache kinformer_api kinformer_flags absl::flat_hash_map)
endif()
