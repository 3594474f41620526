# The components: what users link, here, in a subproject and after cmake --install, as
# kinformer::NAME. Most have the name of a folder of include/kinformer. kinformer::kinformer is all
# of them without the server, databases and OpenTelemetry; kinformer::apiserver is the embedded API
# server on a port, kinformer::apiserver_data its data directory, kinformer::apiserver_etcd several
# servers on an etcd, kinformer::testing a server in a test, kinformer::sinks_sqlite and
# kinformer::sinks_postgres (where libpq was there) mirrors in databases.

set(kinformer_components)

# kinformer_component(NAME "DESCRIPTION" target...): kinformer::NAME for these targets of layers,
# where they are.
function(kinformer_component name description)
  foreach(target ${ARGN})
    if(NOT TARGET ${target})
      return()
    endif()
  endforeach()
  add_library(kinformer_offers_${name} INTERFACE)
  add_library(kinformer::${name} ALIAS kinformer_offers_${name})
  kinformer_needs(layers libs ${ARGN})
  set(parts)
  foreach(layer ${layers})
    get_target_property(kind ${layer} TYPE)
    if(NOT kind STREQUAL INTERFACE_LIBRARY)
      kinformer_library_of(part ${layer})
      list(APPEND parts ${part})
    endif()
  endforeach()
  # Those that need others stand first.
  list(REMOVE_DUPLICATES parts)
  list(REMOVE_ITEM parts kinformer)
  list(APPEND parts kinformer)
  if(BUILD_SHARED_LIBS)
    foreach(part ${parts})
      string(REGEX REPLACE "^kinformer-" "kinformer_shared_" target ${part})
      string(REGEX REPLACE "^kinformer$" "kinformer_shared_kinformer" target ${target})
      target_link_libraries(kinformer_offers_${name} INTERFACE ${target})
    endforeach()
    target_compile_features(kinformer_offers_${name} INTERFACE cxx_std_20)
    target_link_libraries(kinformer_offers_${name} INTERFACE Threads::Threads)
    target_include_directories(kinformer_offers_${name} INTERFACE
      ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated/include)
  else()
    target_link_libraries(kinformer_offers_${name} INTERFACE ${ARGN})
  endif()
  set(kinformer_components ${kinformer_components} ${name} PARENT_SCOPE)
  set(kinformer_description_of_${name} "${description}" PARENT_SCOPE)
  set(kinformer_parts_of_${name} ${parts} PARENT_SCOPE)
  set(kinformer_libs_of_${name} ${libs} PARENT_SCOPE)
endfunction()

kinformer_component(base "loop, clock, results and logs" kinformer_base)
kinformer_component(json "values of JSON and YAML" kinformer_wire kinformer_object_block)
kinformer_component(object "objects of any kind" kinformer_object kinformer_api)
kinformer_component(api "types of the built-in kinds" kinformer_api)
kinformer_component(client "requests, clientset and manifests"
  kinformer_client kinformer_client_tools kinformer_client_manifests)
kinformer_component(cache "informers, listers and stores" kinformer_cache)
kinformer_component(workqueue "queues of keys for workers" kinformer_workqueue)
kinformer_component(certificate "certificates that the cluster signs" kinformer_certificates)
kinformer_component(events "events of a program" kinformer_controller_events)
kinformer_component(leaderelection "leader election" kinformer_controller_election)
kinformer_component(webhook "webhooks and their server" kinformer_controller_webhook_listener)
kinformer_component(endpoints "metrics, health and certificates of a program"
  kinformer_controller_endpoints)
kinformer_component(controller "controllers and managers" kinformer_controller)
kinformer_component(otlp "spans to an OpenTelemetry collector" kinformer_otlp)
kinformer_component(sinks "mirrors of the cluster" kinformer_sinks)
kinformer_component(sinks_sqlite "mirrors in SQLite" kinformer_sinks_sqlite kinformer_sinks)
kinformer_component(sinks_postgres "mirrors in PostgreSQL"
  kinformer_sinks_postgres kinformer_sinks)
kinformer_component(apiserver "the embedded API server"
  kinformer_apiserver_http kinformer_apiserver)
kinformer_component(apiserver_data "an API server that keeps its state on the disk"
  kinformer_apiserver_data kinformer_apiserver)
kinformer_component(apiserver_etcd "several API servers on one etcd"
  kinformer_apiserver_etcd kinformer_apiserver)
kinformer_component(testing "the API server in a test" kinformer_testing)
kinformer_component(kinformer "Kubernetes informers for C++" kinformer_cache
  kinformer_certificates kinformer_client_manifests kinformer_workqueue kinformer_controller
  kinformer_api)

# kinformer::pch is kinformer::kinformer with its headers precompiled: each target that links it
# compiles these once, and each of its sources begins with them.
add_library(kinformer_offers_pch INTERFACE)
add_library(kinformer::pch ALIAS kinformer_offers_pch)
target_link_libraries(kinformer_offers_pch INTERFACE kinformer_offers_kinformer)
target_precompile_headers(kinformer_offers_pch INTERFACE
  <kinformer/kinformer.h> <kinformer/api/appsv1_mutable.h> <kinformer/api/corev1_mutable.h>)
