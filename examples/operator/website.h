// Website, the custom resource of this example: a page served by the number of pods it asks for.

#ifndef EXAMPLES_OPERATOR_WEBSITE_H_
#define EXAMPLES_OPERATOR_WEBSITE_H_

#include <cstdint>
#include <string>

#include "kinformer/controller/meta.h"
#include "kinformer/object/custom_resource.h"

// `unknown` keeps fields of a newer CRD, so that an update sends them back.
struct WebsiteSpec {
  std::string page{};
  std::int32_t replicas = 0;  // the webhook's default is 1
  kinformer::UnknownFields unknown{};
  static constexpr kinformer::FieldSchema kSchema[] = {{.member = "replicas", .minimum = 0}};
};

struct WebsiteStatus {
  kinformer::meta::Conditions conditions{};
  kinformer::UnknownFields unknown{};
};

struct Website {
  static constexpr kinformer::CustomKind kKind{
      .group = "example.com",
      .version = "v1",
      .columns = {{.name = "Replicas", .path = ".spec.replicas"},
                  {.name = "Ready", .path = ".status.conditions[?(@.type==\"Ready\")].status"}}};
  WebsiteSpec spec{};
  WebsiteStatus status{};
  kinformer::UnknownFields unknown{};
};
using Websites = kinformer::CustomResource<Website>;

#endif  // EXAMPLES_OPERATOR_WEBSITE_H_
