# The made-up cluster apart, since the benchmarks use it too.
find_package(fmt REQUIRED)
add_library(kinformer_demo_cluster STATIC
  ${CMAKE_CURRENT_LIST_DIR}/cluster_json.cc
  ${CMAKE_CURRENT_LIST_DIR}/cluster_model.cc
  ${CMAKE_CURRENT_LIST_DIR}/embedded_cluster.cc)
target_include_directories(kinformer_demo_cluster PUBLIC ${PROJECT_SOURCE_DIR}/cli)
target_link_libraries(kinformer_demo_cluster PUBLIC kinformer_apiserver kinformer_apiserver_http
  PRIVATE fmt::fmt kinformer_flags)
kinformer_precompiled(kinformer_demo_cluster)

target_sources(kinformer_cli PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/dashboard.cc
  ${CMAKE_CURRENT_LIST_DIR}/demo.cc
  ${CMAKE_CURRENT_LIST_DIR}/observer.cc
  ${CMAKE_CURRENT_LIST_DIR}/screen.cc)
target_link_libraries(kinformer_cli PUBLIC kinformer_demo_cluster kinformer_workqueue fmt::fmt)
