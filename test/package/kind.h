#pragma once

#include <cstdint>
#include <kinformer/object/custom_resource.h>

struct WebsiteSpec {
  std::int32_t replicas = 1;
};

struct Website {
  static constexpr kinformer::CustomKind kKind{.group = "example.com", .version = "v1"};
  WebsiteSpec spec{};
};
