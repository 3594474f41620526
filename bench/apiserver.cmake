# The API server under load: watchers, lists, requests, start.
if(TARGET kinformer_apiserver_http)
  find_package(OpenSSL 3 REQUIRED)
  add_executable(bench_apiserver apiserver/main.cc apiserver/load.cc)
  target_include_directories(bench_apiserver PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(bench_apiserver
    PRIVATE kinformer_apiserver kinformer_apiserver_http kinformer_apiserver_data kinformer_flags
            OpenSSL::SSL nghttp2)
endif()
