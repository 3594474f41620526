// Asking a cache: all objects, one namespace, one object, by label, by index. No query talks to the
// server.

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
  kinformer::SharedInformerFactory factory(client);
  auto pods = factory.InformerFor<corev1::Pod>();
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();

  kinformer::Lister<corev1::Pod> lister = pods.lister();

  std::size_t running = 0;
  for (corev1::Pod pod : lister.List()) {
    if (pod.status().phase() == "Running") ++running;
  }
  std::osyncstream(std::cout) << "running: " << running << std::endl;

  const auto web = kinformer::LabelSelector::Parse("app=web").OrExit();
  for (corev1::Pod pod : lister.Namespace("default").List(web)) {
    std::osyncstream(std::cout) << "web pod: " << pod.metadata().name() << " on "
                                << pod.spec().nodeName() << std::endl;
  }

  auto one = lister.Namespace("default").Get("web-0");
  if (one) {
    std::osyncstream(std::cout) << "web-0 has " << one->spec().containers().size()
                                << " container(s)" << std::endl;
  }

  auto missing = lister.Namespace("default").Get("no-such-pod");
  if (kinformer::IsNotFound(missing)) {
    std::osyncstream(std::cout) << "as expected: " << missing.error().message() << std::endl;
  }

  std::size_t in_default = 0;
  for ([[maybe_unused]] corev1::Pod pod : lister.ByIndex(kinformer::kNamespaceIndex, "default")) {
    ++in_default;
  }
  std::osyncstream(std::cout) << "in default by index: " << in_default << std::endl;
}
