# Writes that change nothing, compared with the cache.
if(TARGET kinformer_testing AND TARGET kinformer_controller)
  add_executable(match_bench match_bench.cc)
  target_link_libraries(match_bench PRIVATE
    kinformer_testing kinformer_controller kinformer_api kinformer_flags)
endif()

# Standbys that take over, in real time.
if(TARGET kinformer_controller)
  add_executable(take_over_bench take_over_bench.cc)
  target_link_libraries(take_over_bench PRIVATE
    kinformer_controller kinformer_api kinformer_flags)
endif()
