// An index of one's own: pods by the node they run on. The program of the README.

#include <iostream>
#include <syncstream>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

namespace corev1 = kinformer::corev1;
using kinformer::Added;
using kinformer::Deleted;

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();  // prints the error and the remedy
  kinformer::SharedInformerFactory factory(client);
  auto pods = factory.InformerFor<corev1::Pod>(
      {.indexers = {{"node", [](corev1::Pod p, auto& out) { out.Add(p.spec().nodeName()); }}}});
  const auto handler =
      pods.AddEventHandler({.on_add =
                                [](const Added<corev1::Pod>& e) {
                                  std::osyncstream(std::cout) << "+ " << e.key << '\n';
                                },
                            .on_delete =
                                [](const Deleted<corev1::Pod>& e) {
                                  std::osyncstream(std::cout) << "- " << e.key << '\n';
                                }})
          .OrExit()
          .Scoped();
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();  // the error names who is not synced, and why

  auto snapshot = pods.Snapshot();  // one version, indexes included
  for (corev1::Pod p : snapshot.ByIndex("node", "node-7")) {
    std::osyncstream(std::cout) << p.metadata().name() << ' ' << p.status().phase() << '\n';
  }
  std::osyncstream(std::cout) << "nodes with pods: "
                              << snapshot.IndexFuncValues("node").OrExit().size() << std::endl;
  stop.Wait();
}
