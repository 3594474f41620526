// An informer and a client of a custom resource by a struct of the program's own, which is read and
// written as it stands, without a generator. It is decoded once, when the object arrives.

#include <iostream>
#include <syncstream>

#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/object.h"

struct WidgetSpec {
  std::int64_t size = 1;
  kinformer::UnknownFields unknown{};  // keeps fields unknown to this program, to send them back
};

struct Widget {
  static constexpr kinformer::CustomKind kKind{.group = "example.com", .version = "v1"};
  WidgetSpec spec{};
  kinformer::UnknownFields unknown{};
};
using Widgets = kinformer::CustomResource<Widget>;

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::SharedInformerFactory factory(client);
  auto widgets = factory.InformerFor<Widgets>();
  const auto handler = widgets
                           .AddEventHandler({.on_update =
                                                 [](const kinformer::Updated<Widgets>& e) {
                                                   std::osyncstream(std::cout)
                                                       << e.key << " has size "
                                                       << e.new_object.value().spec.size
                                                       << std::endl;
                                                 }})
                           .OrExit()
                           .Scoped();
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();

  // Doubles the size of every widget.
  auto writer = client.For<Widgets>();  // each in its own namespace
  for (const Widgets widget : widgets.Snapshot()) {
    Widgets::Mutable change = widget.DeepCopy();
    change.spec.size *= 2;
    writer.Update(change).OrExit();
  }
  stop.Wait();
}
