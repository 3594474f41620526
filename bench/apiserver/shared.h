// bench/apiserver/shared.h
//
// What the server under measurement and the process that loads it know of each other.

#ifndef KINFORMER_BENCH_APISERVER_SHARED_H_
#define KINFORMER_BENCH_APISERVER_SHARED_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kinformer::bench {

// Command line.
struct Settings {
  std::string mode;
  std::size_t connections = 10'000;  // watchers, readers or clients
  std::size_t namespaces = 0;        // 0: all watch the same, all namespaces
  std::size_t batch = 64;            // events at a time; pipelined requests
  std::size_t rounds = 5;
  std::size_t bytes = 900;  // of data in an object
  std::size_t objects = 1'000'000;
  bool tls = false;
  bool protobuf = false;               // lists; creates and their answers
  std::string resource{"configmaps"};  // what is created: pods, replicas (larger pods), widgets too
  bool defaulting = true;
  bool http2 = false;     // over TLS, a hundred watches a connection
  std::string kinformer;  // the program to start
};

// In memory that both processes map.
struct Shared {
  std::atomic<int> port{0};
  std::atomic<std::uint64_t> connected{0};
  std::atomic<std::uint64_t> delivered{0};  // events, lists, answers
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> failed{0};
  // How many answers in all; watch: from which resourceVersion.
  std::atomic<std::uint64_t> wanted{0};
};

std::string NamespaceName(std::size_t i);
// The body of a POST. Names sort.
std::string ConfigMapJson(const std::string& namespace_, std::size_t number, std::size_t bytes);

// What serves widgets: a structural schema with defaults.
extern const char* const kWidgetDefinition;

// A small pod: one container, a node, labels.
std::string PodJson(const std::string& namespace_, std::size_t number);

// The loading process: does what the mode says until the server's process ends it.
[[noreturn]] void RunLoad(const Settings& settings, Shared& shared);

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_APISERVER_SHARED_H_
