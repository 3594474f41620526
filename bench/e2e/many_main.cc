// bench_many: many informers of one namespace each, with a running API server; prints the memory
// that each of them takes once all have synced.
//
//   bench_many --kubeconfig FILE [--informers N] [--namespaces N] [--json] [--empty]
//              [--at-most BYTES]
//
// Informer i watches the pods of the i-th of bench_serve's namespaces, modulo --namespaces; with
// `bench_serve --pods 1000` each has ten pods. With --empty it watches a namespace without pods.
// Output: one line of JSON. Exit status 1: RSS grew by more than --at-most for each.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <malloc.h>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/lister_watcher.h"

#include "e2e/process_figures.h"

namespace corev1 = kinformer::corev1;
namespace bench = kinformer::bench;

namespace {

// Returns the TCP connections of this process, without libcurl's own socket pairs.
std::size_t Connections() {
  std::set<std::string> sockets;  // by inode, as /proc/net/tcp has them
  for (const char* table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream file(table);
    std::string line;
    std::getline(file, line);  // the names of the columns
    while (std::getline(file, line)) {
      std::istringstream columns(line);
      std::string column;
      for (int i = 0; i < 10; ++i) columns >> column;
      sockets.insert("socket:[" + column + "]");
    }
  }
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    count += sockets.count(std::filesystem::read_symlink(entry.path(), gone).string());
  }
  return count;
}

struct Options {
  std::string kubeconfig;
  std::size_t informers = 1000;
  std::size_t namespaces = 100;
  bool json = false;
  bool empty = false;
  double at_most = 0;
};

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool more = i + 1 < argc;
    if (argument == "--json") options.json = true;
    if (argument == "--empty") options.empty = true;
    if (argument == "--kubeconfig" && more) options.kubeconfig = argv[++i];
    if (argument == "--informers" && more) {
      options.informers = std::strtoull(argv[++i], nullptr, 10);
    }
    if (argument == "--namespaces" && more) {
      options.namespaces = std::strtoull(argv[++i], nullptr, 10);
    }
    if (argument == "--at-most" && more) options.at_most = std::strtod(argv[++i], nullptr);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  const auto config = kinformer::Config::FromKubeconfigFile(options.kubeconfig).OrExit();
  auto client =
      kinformer::Client::NewForConfig(config, {.qps = -1, .prefer_json = options.json}).OrExit();

  // One informer of all pods finds the namespaces and opens the connections.
  std::vector<std::string> names;
  std::unique_ptr<kinformer::SharedInformer<corev1::Pod>> all =
      std::make_unique<kinformer::SharedInformer<corev1::Pod>>(
          client.env(), kinformer::NewFilteredListWatch<corev1::Pod>(client));
  all->Start();
  all->WaitForCacheSync().OrExit();
  {
    std::set<std::string> found;
    for (const corev1::Pod pod : all->Snapshot()) found.emplace(pod.metadata().namespace_());
    names.assign(found.begin(), found.end());
  }
  if (names.empty()) {
    std::cerr << "the server has no pods\n";
    return 1;
  }
  if (names.size() > options.namespaces) names.resize(options.namespaces);
  if (options.empty) names = {"nothing-here"};

  const double rss = bench::RssBytes();
  const std::size_t heap = mallinfo2().uordblks;
  const double cpu = bench::CpuSeconds();
  const auto begun = std::chrono::steady_clock::now();
  std::vector<kinformer::SharedInformer<corev1::Pod>> made;
  made.reserve(options.informers);
  for (std::size_t i = 0; i < options.informers; ++i) {
    made.emplace_back(client.env(), kinformer::NewFilteredListWatch<corev1::Pod>(
                                        client, names[i % names.size()]));
    made.back().Start();
  }
  std::size_t objects = 0;
  for (const auto& informer : made) {
    informer.WaitForCacheSync().OrExit();
    objects += informer.Stats().objects;
  }
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const double rss_each = (bench::RssBytes() - rss) / static_cast<double>(options.informers);
  const double heap_each =
      static_cast<double>(mallinfo2().uordblks - heap) / static_cast<double>(options.informers);
  std::printf(
      "{\"informers\":%zu,\"objects\":%zu,\"wall_s\":%.2f,\"cpu_s\":%.3f,"
      "\"rss_bytes_each\":%.0f,\"heap_bytes_each\":%.0f,\"threads\":%zu,"
      "\"connections\":%zu}\n",
      options.informers, objects, wall, bench::CpuSeconds() - cpu, rss_each, heap_each,
      static_cast<std::size_t>(
          std::distance(std::filesystem::directory_iterator("/proc/self/task"), {})),
      Connections());
  return options.at_most > 0 && rss_each > options.at_most ? 1 : 0;
}
