// match_bench: CPU time of writes that change nothing, and whether any of them is sent. Settled
// pods of the embedded server, in the cache of a DelegatingClient, are each written as they are.
//
//   match_bench [OBJECTS [FILTER]]
//
// Each row: kind of write, objects, bytes of an object's protobuf, nanoseconds of CPU time of the
// calling thread per write, requests that were sent. `made` is what the program itself does before
// the call: a DeepCopy of the cached pod, or the struct to apply, and is not part of the other
// rows. `encode` is what each Update of a struct begins with, compared or not. `first` is a
// comparison whose result is not remembered yet.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/internal/mutable_codec.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/object/quantity.h"
#include "kinformer/testing/api_server.h"

namespace kinformer {
namespace {

using Pod = corev1::Pod;

double CpuNanoseconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

std::string NameOf(std::size_t i) { return "web-7d4b9c6f5-" + std::to_string(i); }

// Returns the fields that an operator wants of a pod: some 0.8 KB, 2 KB as it is stored.
Pod::Mutable Wanted(std::size_t i) {
  Pod::Mutable pod;
  pod.metadata.namespace_ = "default";
  pod.metadata.name = NameOf(i);
  for (const char* key : {"app.kubernetes.io/name", "app.kubernetes.io/instance", "team"}) {
    pod.metadata.labels[key] = "application-" + std::to_string(i % 100);
  }
  auto& container = pod.spec.containers.emplace_back();
  container.name = "web";
  container.image = "registry.example.com/team/web:v1.24.7";
  container.args = {"--listen=:8080", "--log-level=info", "--data-directory=/var/lib/data"};
  for (int e = 0; e < 6; ++e) {
    auto& variable = container.env.emplace_back();
    variable.name = "SETTING_" + std::to_string(e);
    variable.value = "value-of-setting-" + std::to_string(e);
  }
  container.ports.emplace_back().containerPort = 8080;
  container.resources.limits["cpu"] = resource::Quantity::FromMilli(500);
  container.resources.limits["memory"] = resource::Quantity::Parse("512Mi").OrExit();
  container.resources.requests = container.resources.limits;
  auto& mount = container.volumeMounts.emplace_back();
  mount.name = "data";
  mount.mountPath = "/var/lib/data";
  pod.spec.volumes.emplace_back().name = "data";
  pod.spec.serviceAccountName = "default";
  return pod;
}

class MatchBench {
 public:
  MatchBench(std::size_t objects, std::string_view filter) : objects_(objects), filter_(filter) {}

  void Run() {
    const Client client = Client::ForTransport(server_.env(), server_.transport(), {.qps = -1});
    const auto factory = std::make_shared<SharedInformerFactory>(client);
    const DelegatingClient cached(client, factory);
    const ApplyOptions as_me{.fieldManager = "bench"};
    for (std::size_t i = 0; i < objects_; ++i) cached.Apply(Wanted(i), as_me).OrExit();
    static_cast<void>(cached.List<Pod>().OrExit());
    const auto copies = [&](std::size_t i) {
      const Ref<Pod> pod = cached.Get<Pod>({"default", NameOf(i)}).OrExit();
      return pod->DeepCopy();
    };
    const std::size_t bytes = internal::EncodeProtobuf(copies(0)).size();
    Each("made copy", bytes, copies, [](const Pod::Mutable&, std::size_t) {});
    Each("encode", bytes, copies, [](const Pod::Mutable& pod, std::size_t) {
      if (internal::ToRequestObject<Pod>(pod).protobuf.empty()) std::abort();
    });
    Each("update", bytes, copies,
         [&](const Pod::Mutable& pod, std::size_t) { cached.Update(pod).OrExit(); });
    Each("made wanted", bytes, &Wanted, [](const Pod::Mutable&, std::size_t) {});
    for (const char* row : {"apply first", "apply"}) {
      Each(row, bytes, &Wanted,
           [&](const Pod::Mutable& pod, std::size_t) { cached.Apply(pod, as_me).OrExit(); });
    }
    const Patch patch{
        PatchType::kStrategicMerge,
        R"({"spec":{"containers":[{"name":"web","imagePullPolicy":"IfNotPresent"}]}})"};
    for (const char* row : {"patch first", "patch"}) {
      Each(row, bytes, &NameOf, [&](const std::string& name, std::size_t) {
        cached.Patch<Pod>({"default", name}, patch).OrExit();
      });
    }
    factory->Shutdown();
  }

 private:
  // Makes the objects in pieces outside of the measured time, and writes them within it. A piece is
  // small, so that an object has just been made when it is written, as in a reconcile.
  template <class Make, class Write>
  void Each(const char* row, std::size_t bytes, const Make& make, const Write& write) {
    if (!std::string_view(row).starts_with(filter_)) return;
    const bool making = std::string_view(row).starts_with("made");
    const std::uint64_t before = Requests();
    double cpu = 0;
    constexpr std::size_t kPiece = 8;
    for (std::size_t from = 0; from < objects_; from += kPiece) {
      const std::size_t to = std::min(from + kPiece, objects_);
      std::vector<decltype(make(from))> made;
      made.reserve(to - from);
      double start = CpuNanoseconds();
      for (std::size_t i = from; i < to; ++i) made.push_back(make(i));
      if (!making) start = CpuNanoseconds();
      for (std::size_t i = from; i < to; ++i) write(made[i - from], i);
      cpu += CpuNanoseconds() - start;
    }
    std::printf("%-12s %zu %zu %.0f %llu\n", row, objects_, bytes,
                cpu / static_cast<double>(objects_),
                static_cast<unsigned long long>(Requests() - before));
    std::fflush(stdout);
  }
  std::uint64_t Requests() {
    return server_.With([](apiserver::ApiServer& server) { return server.Stats().requests; });
  }

  const std::size_t objects_;
  const std::string_view filter_;
  testing::ApiServer server_{{.field_owners = true}};
};

}  // namespace
}  // namespace kinformer

int main(int argc, char** argv) {
  const std::size_t objects = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  kinformer::MatchBench(objects, argc > 2 ? argv[2] : "").Run();
  return 0;
}
