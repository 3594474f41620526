// A factory whose informers see one namespace only: less to transfer, less to hold, and fewer
// rights needed.

#include <iostream>
#include <syncstream>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

namespace corev1 = kinformer::corev1;

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::SharedInformerFactory factory(client, {.namespace_ = "default"});
  auto config_maps = factory.InformerFor<corev1::ConfigMap>();
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();

  std::osyncstream(std::cout) << "config maps in default: " << config_maps.Snapshot().size()
                              << std::endl;

  // Reads of another namespace give no "not found", because this cache does not cover it.
  auto elsewhere = config_maps.lister().Namespace("kube-system").Get("anything");
  if (!elsewhere) std::osyncstream(std::cout) << "elsewhere: " << elsewhere.error() << std::endl;
}
