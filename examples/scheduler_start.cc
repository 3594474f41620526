// How a scheduler-like program starts: a typed and a dynamic factory, an informer made by a
// constructor of one's own, listers made from indexers, handlers that must have seen the initial
// list before work begins.

#include <iostream>
#include <syncstream>

#include "kinformer/api/corev1.h"
#include "kinformer/client.h"
#include "kinformer/dynamic_shared_informer_factory.h"
#include "kinformer/factory_accessors.h"
#include "kinformer/shared_informer_factory.h"
#include "kinformer/stop.h"

namespace corev1 = kinformer::corev1;

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::SharedInformerFactory factory(client);
  kinformer::DynamicSharedInformerFactory dynamic_factory(client);

  // Pods that have ended are nobody's business here: a constructor of one's own leaves them at the
  // server.
  auto pods = factory.InformerFor<corev1::Pod>([&client](kinformer::Duration resync) {
    auto list_watch = kinformer::NewFilteredListWatch<corev1::Pod>(
        client, "", [](kinformer::ListOptions& options) {
          options.fieldSelector = "status.phase!=Succeeded,status.phase!=Failed";
        });
    return kinformer::SharedInformer<corev1::Pod>(client.env(), std::move(list_watch),
                                                  {.resync_period = resync});
  });
  auto nodes = factory.Core().V1().Nodes().Informer();
  auto widgets = dynamic_factory.ForResource({"example.com", "v1", "widgets"}).OrExit();

  kinformer::Lister<corev1::Pod> pod_lister(pods.indexer());
  kinformer::Lister<corev1::Node> node_lister(nodes.indexer());

  auto on_pod = pods.AddEventHandler({.on_add = [](const auto&) {}}).OrExit();
  auto on_node = nodes.AddEventHandler({.on_add = [](const auto&) {}}).OrExit();
  const auto pod_handler = on_pod.Scoped();
  const auto node_handler = on_node.Scoped();

  factory.Start();
  dynamic_factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();
  dynamic_factory.WaitForCacheSync(stop.token()).OrExit();
  on_pod.WaitForSync(stop.token()).OrExit();
  on_node.WaitForSync(stop.token()).OrExit();

  std::osyncstream(std::cout) << "caches and handlers synced: " << pod_lister.List().size()
                              << " pods to place on " << node_lister.List().size() << " nodes, "
                              << widgets.Snapshot().size() << " widgets" << std::endl;
}
