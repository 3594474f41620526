// NewInformer: a store that follows a collection, and one handler, both on the thread that runs the
// controller. It is client-go's simplest informer; a SharedInformer can do more.

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
  auto [nodes, controller] = kinformer::NewInformer<corev1::Node>(
      client.env(), kinformer::NewListWatch<corev1::Node>(client),
      {.on_add =
           [](const kinformer::Added<corev1::Node>& e) {
             std::osyncstream(std::cout) << "+ node " << e.key << std::endl;
           },
       .on_delete =
           [](const kinformer::Deleted<corev1::Node>& e) {
             std::osyncstream(std::cout) << "- node " << e.key << std::endl;
           }});
  controller->Run(stop.token()).OrExit();
  std::osyncstream(std::cout) << "nodes at the end: " << nodes.List().size() << std::endl;
}
