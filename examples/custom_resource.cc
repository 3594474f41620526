// An informer of a custom resource: no generated type is needed, fields are read by path in the
// JSON that the server sent.

#include <iostream>
#include <syncstream>

#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/object.h"

using kinformer::Unstructured;

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::DynamicSharedInformerFactory factory(client);
  auto widgets = factory.ForResource({"example.com", "v1", "widgets"}).OrExit();
  const auto handler =
      widgets
          .AddEventHandler({.on_add =
                                [](const kinformer::Added<Unstructured>& e) {
                                  std::osyncstream(std::cout)
                                      << "+ " << e.key << " size "
                                      << e.object.root()["spec"]["size"].AsInt64().value_or(0)
                                      << std::endl;
                                }})
          .OrExit()
          .Scoped();
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();
  std::osyncstream(std::cout) << "widgets: " << widgets.Snapshot().size() << std::endl;
  stop.Wait();
}
