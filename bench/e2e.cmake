# Clients of one API server, each a process of its own; bench/run, bench/many and bench/controllers
# drive them.
if(TARGET kinformer_demo_cluster)
  add_executable(bench_serve e2e/serve_main.cc)
  target_include_directories(bench_serve PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(bench_serve PRIVATE kinformer_demo_cluster kinformer_flags)
  add_executable(bench_sync e2e/sync_main.cc)
  target_include_directories(bench_sync PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(bench_sync PRIVATE kinformer_cache kinformer_api kinformer_flags)
  find_package(CURL REQUIRED)
  add_executable(bench_requests e2e/requests_main.cc)
  target_include_directories(bench_requests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(bench_requests PRIVATE
    kinformer_client kinformer_api CURL::libcurl kinformer_flags)
  add_executable(bench_many e2e/many_main.cc)
  target_include_directories(bench_many PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(bench_many PRIVATE kinformer_cache kinformer_api kinformer_flags)
  add_executable(bench_controller e2e/controller_main.cc)
  target_include_directories(bench_controller PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(bench_controller PRIVATE
    kinformer_cache kinformer_workqueue kinformer_controller kinformer_otlp kinformer_api
    kinformer_flags)
endif()
