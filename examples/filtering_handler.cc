// A handler that sees only some objects. An object that begins to match arrives as OnAdd, one that
// ceases to as OnDelete; a deletion that the watch missed arrives as a tombstone with the last
// state that was known, whether that matched or not.

#include <iostream>
#include <syncstream>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

namespace corev1 = kinformer::corev1;

class FailureLog : public kinformer::ResourceEventHandler<corev1::Pod> {
 public:
  void OnAdd(const kinformer::Added<corev1::Pod>& e) override {
    std::osyncstream(std::cout) << "failing: " << e.key << std::endl;
  }
  void OnUpdate(const kinformer::Updated<corev1::Pod>& e) override {
    std::osyncstream(std::cout) << "still failing: " << e.key << std::endl;
  }
  void OnDelete(const kinformer::Deleted<corev1::Pod>& e) override {
    std::osyncstream(std::cout) << (e.final_state_unknown ? "gone unseen: " : "recovered or gone: ")
                                << e.key << std::endl;
  }
};

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::SharedInformerFactory factory(client);
  auto pods = factory.InformerFor<corev1::Pod>();
  const auto handler =
      pods.AddEventHandler(kinformer::FilteringResourceEventHandler<corev1::Pod>(
                               [](corev1::Pod pod) { return pod.status().phase() == "Failed"; },
                               std::make_shared<FailureLog>()))
          .OrExit()
          .Scoped();
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();
  std::osyncstream(std::cout) << "watching for failures" << std::endl;
  stop.Wait();
}
