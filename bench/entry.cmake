# What the entry options and compression cost and save.
find_package(benchmark QUIET)
if(benchmark_FOUND AND TARGET kinformer_demo_cluster)
  add_executable(entry_bench micro/entry_bench.cc micro/pods.cc)
  target_include_directories(entry_bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(entry_bench PRIVATE
    kinformer_demo_cluster kinformer_api kinformer_flags benchmark::benchmark)
endif()
