// An informer without a factory, made from a ListWatch and run by hand, for a library that needs
// only one cache.

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
  kinformer::SharedInformer<corev1::Service> services(
      client.env(), kinformer::NewFilteredListWatch<corev1::Service>(client, "default"),
      {.resync_period = std::chrono::minutes(10)});
  services.Start();
  services.WaitForCacheSync(stop.token()).OrExit();
  for (corev1::Service service : services.Snapshot()) {
    std::osyncstream(std::cout) << "service " << service.metadata().name() << ' '
                                << service.spec().clusterIP() << std::endl;
  }
  std::osyncstream(std::cout) << "done" << std::endl;
  services.Stop();
}
