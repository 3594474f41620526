// An informer on a server of its own, in one process.

#include <iostream>

#include "kinformer/api/corev1.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/testing/api_server.h"

int main() {
  kinformer::testing::ApiServer server;
  server.Load("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}")
      .OrExit();
  auto client = kinformer::Client::ForTransport(server.env(), server.transport());
  kinformer::SharedInformerFactory factory(client);
  auto maps = factory.InformerFor<kinformer::corev1::ConfigMap>();
  factory.Start();
  factory.WaitForCacheSync().OrExit();
  for (kinformer::corev1::ConfigMap map : maps.Snapshot()) {
    std::cout << map.metadata().name() << '\n';
  }
}
