// A scheduler that decides faster than the server answers: places pods on the node with the fewest,
// and counts each as placed as soon as it has decided so, by an AssumeCache. Bindings are on their
// way by the hundred; one that the server refuses is taken back, and its pod tried again.

#include <atomic>
#include <cstddef>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <syncstream>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/client/async_typed_client.h"
#include "kinformer/clientset/corev1.h"
#include "kinformer/workqueue.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header
namespace corev1 = kinformer::corev1;

namespace {

void ByNode(corev1::Pod pod, IndexValues& out) {
  if (!pod.spec().nodeName().empty()) out.Add(pod.spec().nodeName());
}

class Scheduler {
 public:
  Scheduler(const Client& client, SharedInformerFactory& factory)
      : binder_(corev1::PodInterface(client, "")),
        nodes_(factory.InformerFor<corev1::Node>()),
        pods_(factory.InformerFor<corev1::Pod>()),
        placed_(pods_, {{"node", ByNode}}),
        waiting_(client.env(), {.name = "unscheduled"}),
        // A handler of the AssumeCache, not of the informer: what is queued is in the cache.
        handler_(placed_
                     .AddEventHandler({.on_add =
                                           [this](const Added<corev1::Pod>& e) {
                                             if (!e.object.spec().nodeName().empty()) return;
                                             waiting_.Add(e.object_name());
                                           }})
                     .OrExit()
                     .Scoped()) {}

  // Schedules until `stop`; then waits for the answers that are on their way.
  void Run(const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] { waiting_.ShutDown(); });
    while (const std::optional<ObjectName> name = waiting_.Get()) {
      if (const Result<void> placed = Place(*name); !placed) {
        std::osyncstream(std::cerr) << *name << ": " << placed.error() << '\n';
        waiting_.AddRateLimited(*name);
      }
      waiting_.Done(*name);
    }
    while (const std::size_t left = binding_) binding_.wait(left);
  }

 private:
  Result<void> Place(const ObjectName& name) {
    const Result<Ref<corev1::Pod>> pod = placed_.Get(name.ToString());
    if (IsNotFound(pod)) return {};  // deleted meanwhile
    if (!pod) return pod.error();
    if (!pod->spec().nodeName().empty()) return {};
    const std::optional<std::string> node = Choose();
    if (!node) return Error(Reason::kUnknown, "no node has room");

    corev1::PodMutable decided = pod->DeepCopy();
    decided.spec.nodeName = *node;
    const Result<Ref<corev1::Pod>> assumed = WithContent(*pod, decided);
    if (!assumed) return assumed.error();
    if (Result<void> done = placed_.Assume(*assumed); !done) return done;
    Bind(name, *node);
    return {};
  }

  // The node with the fewest pods, assumed ones included, of those with room for one more.
  [[nodiscard]] std::optional<std::string> Choose() const {
    const auto placed = placed_.Snapshot();
    std::optional<std::string> best;
    std::size_t fewest = 0;
    for (corev1::Node node : nodes_.Snapshot()) {
      const std::size_t pods = placed.ByIndex("node", node.metadata().name()).size();
      const auto room = node.status().allocatable().Find("pods");
      if (room && std::cmp_greater_equal(pods, room->Value())) continue;
      if (best && pods >= fewest) continue;
      best = node.metadata().name();
      fewest = pods;
    }
    return best;
  }

  // Sends the decision, and does not wait for the answer.
  void Bind(const ObjectName& name, const std::string& node) {
    corev1::BindingMutable binding;
    binding.metadata.name = name.name;
    binding.target.kind = "Node";
    binding.target.name = node;
    ++binding_;
    binder_.Namespace(name.namespace_).Bind(binding).Start([this, name](const auto& bound) {
      if (bound.ok()) {
        waiting_.Forget(name);
        ++bound_;
      } else {
        std::osyncstream(std::cerr) << name << ": " << bound.error() << '\n';
        placed_.Restore(name.ToString());
        waiting_.AddRateLimited(name);
      }
      if (binding_ == 1 && waiting_.Len() == 0) {
        std::osyncstream(std::cout) << "bound " << bound_ << " pods" << std::endl;
      }
      --binding_;  // the last step: Run may return
      binding_.notify_all();
    });
  }

  const AsyncTypedClient<corev1::Pod> binder_;
  const SharedInformer<corev1::Node> nodes_;
  const SharedInformer<corev1::Pod> pods_;
  AssumeCache<corev1::Pod> placed_;
  RateLimitingQueue<ObjectName> waiting_;
  std::atomic<std::size_t> bound_ = 0;
  std::atomic<std::size_t> binding_ = 0;
  // The last member, so it is destroyed first: it uses the others.
  EventHandlerRegistration::ScopedRegistration handler_;
};

}  // namespace

int main() {
  StopSource stop = StopOnSignals();
  // As many requests as the server takes: by default a client sends five in a second, as in Go.
  const Client client = Client::NewForConfig(Config::LoadDefault().OrExit(), {.qps = -1}).OrExit();
  SharedInformerFactory factory(client);
  Scheduler scheduler(client, factory);
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();
  scheduler.Run(stop.token());
}
