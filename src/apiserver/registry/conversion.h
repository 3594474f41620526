// apiserver/registry/conversion.h
//
// Built-in kinds that are served in two forms and stored in one: Events of the core group and of
// events.k8s.io, HorizontalPodAutoscalers of autoscaling/v2 and v1. Each form is a ServedResource
// of its own, with the names, the schema and the selectable fields of its version; the one that is
// not stored shares the store and the watchers of the one that is, and its objects are converted
// where they come in and go out.

#ifndef KINFORMER_APISERVER_REGISTRY_CONVERSION_H_
#define KINFORMER_APISERVER_REGISTRY_CONVERSION_H_

#include <string_view>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// One form that is not stored. Objects have their metadata; kind and apiVersion do not matter, and
// are not given.
struct Conversion {
  std::string_view group;
  std::string_view version;
  std::string_view plural;
  // What it is stored as, under the same plural.
  std::string_view stored_group;
  std::string_view stored_version;
  json::Value (*from_stored)(const json::Value& stored);
  // Takes what the form's schema has; the rest is dropped, and defaults are not filled in.
  json::Value (*to_stored)(const json::Value& object);
  // What this form does not let change, both as stored; null: nothing of its own.
  std::vector<StatusCause> (*validate_change)(const json::Value& old, const json::Value& object);
};

// Null where objects of that resource are stored as they are.
const Conversion* FindConversion(std::string_view group, std::string_view version,
                                 std::string_view plural);

extern const Conversion kEventConversion;
extern const Conversion kAutoscalerConversion;

// The resource and version whose form the objects are stored in: `at` itself, if no conversion is
// between.
ResourceAt StoredAt(const ResourceAt& at);

// Whether objects are shown in that version of a custom resource without some of what is stored.
[[nodiscard]] bool IsPruned(const ResourceAt& at);
// The object without that, under the same resourceVersion. REQUIRES: IsPruned. Any thread, if
// nobody else has `stored`.
StoredObjectPtr PrunedTo(const ResourceAt& at, const StoredObject& stored);

// The object in the form of `at`, with kind and apiVersion.
json::Value ObjectIn(const ResourceAt& at, const StoredObject& stored);
// The same for an answer, under the same resourceVersion; `stored` itself where it has that form.
StoredObjectPtr StoredIn(const ResourceAt& at, const StoredObjectPtr& stored);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_CONVERSION_H_
