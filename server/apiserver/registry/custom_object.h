// apiserver/registry/custom_object.h
//
// Effects of a custom resource's schema on written objects. All functions ignore objects of
// built-in kinds.

#ifndef KINFORMER_APISERVER_REGISTRY_CUSTOM_OBJECT_H_
#define KINFORMER_APISERVER_REGISTRY_CUSTOM_OBJECT_H_

#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// Returns `unknown field "spec.x"` for each field that will be pruned; with `applies`: for each
// that a server-side apply may not declare.
std::vector<std::string> UnknownFieldProblems(const ResourceAt& at, const json::Value& object,
                                              bool applies = false);

// Prunes the object and sets its defaults, by the schema of the version in which it was sent.
// `applies`: an apply has made it, whose nulls stay, and are refused later.
// Errors: BadRequest if metadata is not an object; RequestEntityTooLarge.
Result<void> PrepareCustomObject(const ResourceAt& at, json::Value& object, bool applies = false);

// Returns whether the object has fields outside of metadata and a status of its own that its schema
// does not know.
[[nodiscard]] bool HasUnknownFields(const ResourceAt& at, const json::Value& object);

// Returns violations of the version's schema, of its rules and of its scale subresource's number
// rules. Violations unchanged since `old` (null: a new object) are accepted; those of rules add to
// `warnings`. `status`: only the status was written.
std::vector<StatusCause> ValidateCustomObject(const ResourceAt& at, bool status,
                                              const json::Value& object, const json::Value* old,
                                              std::vector<std::string>& warnings);

// Sets defaults. RequestEntityTooLarge if they exceed the limit.
Result<void> FillDefaults(const StructuralSchema& schema, json::Value& object,
                          bool keeps_nulls = false);
// Prunes the object, and sets defaults.
Result<void> ApplySchema(const StructuralSchema& schema, json::Value& object);
// Applies the schema of the storage version, if that is another one. Always sets the defaults of
// parts that were removed from the object as sent: status.
Result<void> ToStorageVersion(const ResourceAt& at, json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_CUSTOM_OBJECT_H_
