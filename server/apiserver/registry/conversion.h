// apiserver/registry/conversion.h
//
// Objects in the form of a version, whatever form they are stored in.

#ifndef KINFORMER_APISERVER_REGISTRY_CONVERSION_H_
#define KINFORMER_APISERVER_REGISTRY_CONVERSION_H_

#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Returns the resource and version in whose form the objects are stored: `at` itself if it has no
// conversion.
ResourceAt StoredAt(const ResourceAt& at);

// Returns whether that version of a custom resource hides some fields of stored objects.
[[nodiscard]] bool IsPruned(const ResourceAt& at);
// Returns the object without those fields, under the same resourceVersion. REQUIRES: IsPruned.
// Thread-safe if no other thread uses `stored`.
StoredObjectPtr PrunedTo(const ResourceAt& at, const StoredObject& stored);

// Returns the object in the form of `at`, with kind and apiVersion.
json::Value ObjectIn(const ResourceAt& at, const StoredObject& stored);
// Returns the object in the form of `at`, under the same resourceVersion; `stored` if it has it.
StoredObjectPtr StoredIn(const ResourceAt& at, const StoredObjectPtr& stored);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_CONVERSION_H_
