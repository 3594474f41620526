// bench/apiserver/shared.h
//
// Data shared by the server that is measured and the process that loads it.

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
  std::size_t namespaces = 0;        // 0: all watch all namespaces
  std::size_t batch = 64;            // events in a batch; pipelined requests
  std::size_t rounds = 5;
  std::size_t bytes = 900;  // of data in an object
  std::size_t objects = 1'000'000;
  bool tls = false;
  bool protobuf = false;               // lists, created objects and answers
  std::string resource{"configmaps"};  // or pods, replicas (larger pods), widgets
  bool defaulting = true;
  bool validation = true;
  bool field_owners = false;
  bool http2 = false;     // over TLS, with a hundred watches per connection
  std::string kinformer;  // the program to start
  std::string data;       // folder in which the server keeps its state; empty: in memory
};

// Mapped by both processes.
struct Shared {
  std::atomic<int> port{0};
  std::atomic<std::uint64_t> connected{0};
  std::atomic<std::uint64_t> delivered{0};  // events, lists or answers
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> failed{0};
  // Total number of answers; for watch: the first resourceVersion to count.
  std::atomic<std::uint64_t> wanted{0};
};

std::string NamespaceName(std::size_t i);
// Returns the body of a POST. Names sort by number.
std::string ConfigMapJson(const std::string& namespace_, std::size_t number, std::size_t bytes);

// Definition of widgets: a structural schema with defaults.
extern const char* const kWidgetDefinition;

// Returns a small pod: one container, a node, labels.
std::string PodJson(const std::string& namespace_, std::size_t number);

// Runs the load of the selected mode until the server's process kills it.
[[noreturn]] void RunLoad(const Settings& settings, Shared& shared);

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_APISERVER_SHARED_H_
