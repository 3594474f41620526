// Handlers for all pod events: pods that exist at the start, and pods that are added, changed and
// deleted later.

#include <iostream>
#include <syncstream>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

namespace corev1 = kinformer::corev1;
using kinformer::Added;
using kinformer::Deleted;
using kinformer::Updated;

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::SharedInformerFactory factory(client);
  auto pods = factory.InformerFor<corev1::Pod>();

  const auto handler =
      pods.AddEventHandler({
                               .on_add =
                                   [](const Added<corev1::Pod>& e) {
                                     std::osyncstream(std::cout)
                                         << (e.is_in_initial_list ? "= " : "+ ") << e.key
                                         << std::endl;
                                   },
                               .on_update =
                                   [](const Updated<corev1::Pod>& e) {
                                     std::osyncstream(std::cout)
                                         << "~ " << e.key << ' ' << e.old_object.status().phase()
                                         << " -> " << e.new_object.status().phase() << std::endl;
                                   },
                               .on_delete =
                                   [](const Deleted<corev1::Pod>& e) {
                                     std::osyncstream(std::cout) << "- " << e.key << std::endl;
                                   },
                           })
          .OrExit()
          .Scoped();

  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();
  std::osyncstream(std::cout) << "synced: " << pods.Snapshot().size() << " pods" << std::endl;
  stop.Wait();
}
