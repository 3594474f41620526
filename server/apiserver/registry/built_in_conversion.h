// apiserver/registry/built_in_conversion.h
//
// Conversion: built-in kinds served in two forms and stored in one: Events of the core group and of
// events.k8s.io, HorizontalPodAutoscalers of autoscaling/v2 and v1. Each form is a ServedResource
// with the names, the schema and the selectable fields of its version. The form that is not stored
// shares store and watchers with the stored one, and its objects are converted in requests and
// responses.

#ifndef KINFORMER_APISERVER_REGISTRY_BUILT_IN_CONVERSION_H_
#define KINFORMER_APISERVER_REGISTRY_BUILT_IN_CONVERSION_H_

#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// A form that is not stored. Conversion functions take and return objects with metadata, and ignore
// kind and apiVersion.
struct Conversion {
  std::string_view group;
  std::string_view version;
  std::string_view plural;
  // Group and version of the stored form, under the same plural.
  std::string_view stored_group;
  std::string_view stored_version;
  json::Value (*from_stored)(const json::Value& stored);
  // Keeps the fields of the form's schema and drops all others; sets no defaults.
  json::Value (*to_stored)(const json::Value& object);
  // Returns forbidden changes between two stored objects that only this form rejects; may be null.
  std::vector<StatusCause> (*validate_change)(const json::Value& old, const json::Value& object);
};

// Returns null where objects of the resource are stored in the requested form.
const Conversion* FindConversion(std::string_view group, std::string_view version,
                                 std::string_view plural);

extern const Conversion kEventConversion;
extern const Conversion kAutoscalerConversion;

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_BUILT_IN_CONVERSION_H_
