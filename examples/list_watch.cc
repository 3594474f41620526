// NewListWatch: lists and watches for an informer. For a kind with a type in the program, limited
// to one object; and for a resource of which only the name is known.

#include <iostream>
#include <syncstream>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/object.h"

namespace corev1 = kinformer::corev1;

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();

  kinformer::SharedInformer<corev1::ConfigMap> settings(
      client.env(),
      kinformer::NewListWatch<corev1::ConfigMap>(
          client, "default", kinformer::FieldSelector::Parse("metadata.name=settings").OrExit()));
  kinformer::SharedInformer<kinformer::Unstructured> widgets(
      client.env(), kinformer::NewListWatch(
                        client, kinformer::GroupVersionResource{"example.com", "v1", "widgets"}));
  settings.Start();
  widgets.Start();
  settings.WaitForCacheSync(stop.token()).OrExit();
  widgets.WaitForCacheSync(stop.token()).OrExit();

  for (corev1::ConfigMap map : settings.Snapshot()) {
    std::osyncstream(std::cout) << "config map " << map.metadata().name() << std::endl;
  }
  for (kinformer::Unstructured widget : widgets.Snapshot()) {
    std::osyncstream(std::cout) << widget.kind() << ' ' << widget.metadata().name() << " of size "
                                << widget.root()["spec"]["size"].AsInt64().value_or(0) << std::endl;
  }
}
