// apiserver/registry/defined_resource.h
//
// DefinedResource: the spec of a CustomResourceDefinition, parsed once.

#ifndef KINFORMER_APISERVER_REGISTRY_DEFINED_RESOURCE_H_
#define KINFORMER_APISERVER_REGISTRY_DEFINED_RESOURCE_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

struct ConversionWebhook;

// Immutable and shared. Making and destroying one costs about as much as parsing the definition.
struct DefinedResource {
  std::string group{};
  std::string plural{};
  std::string kind{};
  bool namespaced = false;
  std::vector<Subresource> subresources{};
  // Sorted by preference, best first; `listed` has the order of the definition.
  std::vector<std::shared_ptr<const ServedVersion>> versions{};
  std::vector<std::shared_ptr<const ServedVersion>> listed{};
  std::vector<SelectableField> fields{};
  // Webhook that converts between versions; null: versions differ only in their schemas.
  std::shared_ptr<const ConversionWebhook> webhook{};
  // Without a webhook: versions whose schema differs from that of the storage version. They hide
  // the fields that their schema lacks.
  std::set<std::string, std::less<>> pruned{};

  // Parses the `spec` of a validated definition. Thread-safe.
  static std::shared_ptr<const DefinedResource> Make(const json::Value& spec);
};

// Returns whether `a` is preferred to `b`. Order: "v1", "v1beta2", "v1beta1", "v1alpha1", and then
// all other names.
bool PreferVersion(std::string_view a, std::string_view b);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_DEFINED_RESOURCE_H_
