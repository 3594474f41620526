// Website, the custom resource of this example: a page served by the number of pods it asks for.

#ifndef EXAMPLES_OPERATOR_WEBSITE_H_
#define EXAMPLES_OPERATOR_WEBSITE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "kinformer/controller/meta.h"
#include "kinformer/object/custom_resource.h"

// `unknown` keeps fields of a newer CRD, so that an update sends them back.
struct WebsiteSpec {
  std::string page{};
  std::int32_t replicas = 0;  // the webhook's default is 1
  kinformer::UnknownFields unknown{};
  static constexpr auto kFields = std::tuple(kinformer::Field("page", &WebsiteSpec::page),
                                             kinformer::Field("replicas", &WebsiteSpec::replicas),
                                             kinformer::Field(&WebsiteSpec::unknown));
};

struct WebsiteStatus {
  kinformer::meta::Conditions conditions{};
  kinformer::UnknownFields unknown{};
  static constexpr auto kFields =
      std::tuple(kinformer::Field("conditions", &WebsiteStatus::conditions),
                 kinformer::Field(&WebsiteStatus::unknown));
};

struct Website {
  static constexpr std::string_view kGroup = "example.com";
  static constexpr std::string_view kVersion = "v1";
  static constexpr std::string_view kKind = "Website";
  static constexpr std::string_view kPlural = "websites";
  static constexpr bool kNamespaced = true;
  WebsiteSpec spec{};
  WebsiteStatus status{};
  kinformer::UnknownFields unknown{};
  static constexpr auto kFields =
      std::tuple(kinformer::Field("spec", &Website::spec),
                 kinformer::Field("status", &Website::status), kinformer::Field(&Website::unknown));
};
using Websites = kinformer::CustomResource<Website>;

#endif  // EXAMPLES_OPERATOR_WEBSITE_H_
