// Uses an installed kinformer as an outside program does: the headers for all, and what stands in
// the further libraries.

#include <iostream>

#include "kinformer/api/apps.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/kinformer.h"

int main() {
  const auto selector = kinformer::LabelSelector::Parse("app in (web, api)").OrExit();
  kinformer::appsv1::Deployment::Mutable deployment;
  deployment.metadata.name = "web";
  std::cout << kinformer::appsv1::Deployment::type_info().resource << ' ' << selector.ToString()
            << ' ' << kinformer::ToJson(deployment) << '\n';
}
