// Uses an installed kinformer like an outside program: all headers, and the contents of the
// additional libraries.

#include <iostream>

#include "kinformer/api/apps.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/kinformer.h"
#include "kinformer/otlp/otlp_tracer.h"
#include "kinformer/sinks/sqlite_sink.h"

int main() {
  const auto selector = kinformer::LabelSelector::Parse("app in (web, api)").OrExit();
  kinformer::appsv1::Deployment::Mutable deployment;
  deployment.metadata.name = "web";
  std::cout << kinformer::appsv1::Deployment::kind_info().resource << ' ' << selector.ToString()
            << ' ' << kinformer::ToJson(deployment) << '\n';
  if (kinformer::OpenSqliteSink("/no/such/folder/x.sqlite").ok()) return 1;
  return kinformer::NewOtlpTracer({.endpoint = "no URL"}).ok() ? 1 : 0;
}
