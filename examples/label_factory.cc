// A factory that asks the server for labelled objects only, by a change to every list and watch
// request.

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
  kinformer::SharedInformerFactory factory(
      client, {.tweak_list_options = [](kinformer::ListOptions& options) {
        options.labelSelector = "app=web";
      }});
  auto pods = factory.InformerFor<corev1::Pod>();
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();

  for (corev1::Pod pod : pods.Snapshot()) {
    std::osyncstream(std::cout) << "web pod: " << pod.metadata().name()
                                << " app=" << pod.metadata().labels()["app"] << std::endl;
  }
}
