// apiserver/registry/defined_resource.h
//
// DefinedResource: what the spec of a CustomResourceDefinition says of its resource, read once.

#ifndef KINFORMER_APISERVER_REGISTRY_DEFINED_RESOURCE_H_
#define KINFORMER_APISERVER_REGISTRY_DEFINED_RESOURCE_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"

#include "apiserver/registry/served_resource.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

struct ConversionWebhook;

// Immutable and shared. To make one costs as much as to parse the definition, and so does its end.
struct DefinedResource {
  std::string group{};
  std::string plural{};
  std::string kind{};
  bool namespaced = false;
  std::vector<Subresource> subresources{};
  // Most preferred first; and in the order of the definition.
  std::vector<std::shared_ptr<const ServedVersion>> versions{};
  std::vector<std::shared_ptr<const ServedVersion>> listed{};
  std::vector<SelectableField> fields{};
  // What converts between the versions; null: they differ in nothing but their schema.
  std::shared_ptr<const ConversionWebhook> webhook{};
  // Without one, the versions whose schema is not that of the version which is stored: objects are
  // shown in them without what their schema does not have.
  std::set<std::string, std::less<>> pruned{};

  // On any thread. `spec` is that of a definition that has been checked.
  static std::shared_ptr<const DefinedResource> Make(const json::Value& spec);
};

// "v1" before "v1beta2" before "v1beta1" before "v1alpha1" before everything else: is `a` preferred
// to `b`?
bool PreferVersion(std::string_view a, std::string_view b);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_DEFINED_RESOURCE_H_
