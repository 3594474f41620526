// CacheController: list, watch, a queue and the loop that processes it, without a cache. Prints
// each change of a ConfigMap in the order of changes, on the main thread.

#include <iostream>
#include <memory>
#include <syncstream>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

namespace corev1 = kinformer::corev1;
using kinformer::Delta;
using kinformer::DeltaType;
using kinformer::Ref;

namespace {

void Print(const Delta<corev1::ConfigMap>& delta) {
  std::osyncstream out(std::cout);
  switch (delta.type) {
    case DeltaType::kReplacedAll:
      out << "there are " << delta.info->objects.size() << " config maps" << std::endl;
      return;
    case DeltaType::kDeleted:
      out << "- " << delta.object->metadata().name() << std::endl;
      return;
    case DeltaType::kAdded:
    case DeltaType::kUpdated:
      out << "+ " << delta.object->metadata().name() << std::endl;
      return;
    default:
      return;
  }
}

}  // namespace

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::CacheController<corev1::ConfigMap> controller(
      client.env(),
      {.queue = std::make_shared<kinformer::RealFIFO<corev1::ConfigMap>>(client.env()),
       .lister_watcher = kinformer::NewListWatch<corev1::ConfigMap>(client, "default"),
       .process = [](const kinformer::Deltas<corev1::ConfigMap>& deltas, bool) {
         for (const Delta<corev1::ConfigMap>& delta : deltas) Print(delta);
         return kinformer::Result<void>();
       }});
  controller.Run(stop.token()).OrExit();
}
