// Three resources from one factory, with Go's accessors: one start, one wait, and one watch per
// resource, however often it is used.

#include <iostream>
#include <syncstream>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/factory_accessors.h"

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::SharedInformerFactory factory(client);

  auto pods = factory.Core().V1().Pods().Lister();
  auto nodes = factory.Core().V1().Nodes().Lister();
  auto deployments = factory.Apps().V1().Deployments().Lister();

  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();
  std::osyncstream(std::cout) << "pods: " << pods.List().size()
                              << ", nodes: " << nodes.List().size()
                              << ", deployments: " << deployments.List().size() << std::endl;
}
