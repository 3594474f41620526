// churn_bench: what a store takes after many updates of random objects by versions of other sizes;
// one process a measurement, since it measures its own RSS.
//
//   churn_bench [--compress] [--pods N] [--updates N]
//
// Output: one line of JSON; `ratio` is RSS after the updates over RSS after the fill, both less
// that of the process before.

#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/runtime.h"

#include "cache/store/store_core.h"
#include "demo/cluster_model.h"
#include "e2e/process_figures.h"
#include "wire/protobuf_writer.h"

namespace kinformer {
namespace {

class Pods {
 public:
  explicit Pods(std::size_t count) {
    demo::ClusterModel model({.nodes = count / 100, .namespaces = 100, .pods = count});
    for (const demo::Operation& operation : model.Start()) {
      if (operation.resource != "pods") continue;
      const auto block = internal::BuildFromJson(corev1::Pod::type_info(), operation.json).OrExit();
      messages_.emplace_back(block->payload());
    }
    for (std::size_t i = 0; i < 8192; ++i) noise_ += "0123456789abcdef"[random_() % 16];
  }
  [[nodiscard]] std::size_t size() const { return messages_.size(); }

  // The pod with up to a fifth more bytes, of a field that the schema lacks and that hardly
  // compresses.
  internal::ObjectRef Make(std::size_t i) {
    bytes_ = messages_[i];
    const std::size_t more = random_() % (bytes_.size() / 5);
    const std::size_t from = random_() % (noise_.size() - more);
    wire::ProtobufWriter(bytes_).BytesField(100, std::string_view(noise_).substr(from, more));
    return internal::BuildFromProtobuf(corev1::Pod::type_info(), bytes_).OrExit();
  }
  internal::ObjectRef MakeAny() { return Make(random_() % size()); }

 private:
  std::minstd_rand random_{1};
  std::vector<std::string> messages_;
  std::string noise_;
  std::string bytes_;
};

void Run(Env& env, bool compress, std::size_t count, std::size_t updates) {
  Pods pods(count);
  malloc_trim(0);
  const double empty = bench::RssBytes();
  internal::cache::StoreCore store(env, {.compress = compress});
  for (std::size_t i = 0; i < pods.size(); ++i) store.Put(pods.Make(i));
  const double filled = bench::RssBytes() - empty;
  const auto full = static_cast<double>(store.Stats().object_bytes);
  const double start = bench::CpuSeconds();
  for (std::size_t i = 0; i < updates; ++i) store.Put(pods.MakeAny());
  const double cpu = bench::CpuSeconds() - start;
  const double after = bench::RssBytes() - empty;
  std::printf(
      "{\"compressed\":%s,\"objects\":%zu,\"updates\":%zu,\"us_per_update\":%.2f,"
      "\"object_mb_filled\":%.1f,\"object_mb\":%.1f,\"rss_mb_filled\":%.1f,\"rss_mb\":%.1f,"
      "\"ratio\":%.3f}\n",
      compress ? "true" : "false", store.size(), updates, cpu * 1e6 / static_cast<double>(updates),
      full / 1e6, static_cast<double>(store.Stats().object_bytes) / 1e6, filled / 1e6, after / 1e6,
      after / filled);
}

}  // namespace
}  // namespace kinformer

int main(int argc, char** argv) {
  bool compress = false;
  std::size_t pods = 50'000;
  std::size_t updates = 10'000'000;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--compress") compress = true;
    if (argument == "--pods" && i + 1 < argc) pods = std::strtoul(argv[++i], nullptr, 10);
    if (argument == "--updates" && i + 1 < argc) updates = std::strtoul(argv[++i], nullptr, 10);
  }
  kinformer::Runtime runtime;
  // Not on the main thread, whose heap is of another kind than that of the loop, which writes an
  // informer's store.
  std::thread([&] { kinformer::Run(runtime.env(), compress, pods, updates); }).join();
}
