// A Reflector alone, with the program's own store. It stores no pods, only the node of each: a
// small digest that needs no cache of objects.

#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <syncstream>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

namespace corev1 = kinformer::corev1;
using kinformer::Ref;
using kinformer::Result;
using PodQueue = kinformer::Queue<corev1::Pod>;

// Called on the loop, one call at a time, so that it needs no lock. Must not block.
class PodsPerNode final : public kinformer::ReflectorStore<corev1::Pod> {
 public:
  Result<void> Add(const Ref<corev1::Pod>& pod) override {
    node_of_[PodQueue::KeyOf(pod)] = pod->spec().nodeName();
    return Print();
  }
  Result<void> Update(const Ref<corev1::Pod>& pod) override { return Add(pod); }
  Result<void> Delete(const Ref<corev1::Pod>& pod) override {
    node_of_.erase(PodQueue::KeyOf(pod));
    return Print();
  }
  Result<void> Replace(kinformer::ReplacedAllInfo<corev1::Pod> list) override {
    node_of_.clear();
    for (const Ref<corev1::Pod>& pod : list.objects) {
      node_of_[PodQueue::KeyOf(pod)] = pod->spec().nodeName();
    }
    return Print();
  }

 private:
  Result<void> Print() const {
    std::map<std::string, int> counts;
    for (const auto& [key, node] : node_of_) ++counts[node];
    std::osyncstream out(std::cout);
    for (const auto& [node, count] : counts) out << node << ": " << count << " pods" << std::endl;
    return {};
  }

  std::map<std::string, std::string> node_of_;
};

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::Reflector<corev1::Pod> reflector(
      client.env(), kinformer::NewListWatch<corev1::Pod>(client), std::make_shared<PodsPerNode>());
  reflector.Run(stop.token()).OrExit();
}
