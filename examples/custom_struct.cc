// An informer and a client of a custom resource by a struct of the program's own: its fields are
// named once, in kFields, and are read and written without a generator. The struct is decoded once,
// when the object arrives.

#include <iostream>
#include <optional>
#include <syncstream>
#include <tuple>

#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/object.h"

struct WidgetSpec {
  std::int64_t size = 1;
  kinformer::UnknownFields unknown{};  // keeps fields unknown to this program, to send them back
  static constexpr auto kFields = std::tuple(kinformer::Field("size", &WidgetSpec::size),
                                             kinformer::Field(&WidgetSpec::unknown));
};

struct Widget {
  static constexpr std::string_view kGroup = "example.com";
  static constexpr std::string_view kVersion = "v1";
  static constexpr std::string_view kKind = "Widget";
  static constexpr std::string_view kPlural = "widgets";
  static constexpr bool kNamespaced = true;
  WidgetSpec spec{};
  kinformer::UnknownFields unknown{};
  static constexpr auto kFields =
      std::tuple(kinformer::Field("spec", &Widget::spec), kinformer::Field(&Widget::unknown));
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
