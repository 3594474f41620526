// apiserver/request/patch.h
//
// Patch formats of the API: RFC 6902, RFC 7386, and Kubernetes' strategic merge.

#ifndef KINFORMER_APISERVER_REQUEST_PATCH_H_
#define KINFORMER_APISERVER_REQUEST_PATCH_H_

#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Returns BadRequest if the patch is not a list of operations, Invalid if one of them fails.
Result<void> ApplyJsonPatch(const json::Value& patch, json::Value& document);

// RFC 7386, except that nulls deep inside of new values, and of values that replace a list or a
// scalar, are removed, as in the real server's library. BadRequest if the patch is no object.
Result<void> ApplyMergePatch(const json::Value& patch, json::Value& document);

// Merges maps; null deletes; lists are replaced unless their field has a merge key: then elements
// are merged by key. Directives: $patch, $deleteFromPrimitiveList, $setElementOrder, $retainKeys.
// `message`: type of the object; null: unknown fields, which cannot be merged. Returns BadRequest
// for malformed directives; a 500 without reason, as a real server does, for patches that do not
// fit the object or its type.
Result<void> ApplyStrategicMergePatch(const json::Value& patch,
                                      const internal::MessageDescriptor* message,
                                      json::Value& document);

// Merges the declarations of a server-side apply for a built-in kind: merges lists by all of their
// keys, ports also by protocol, and sets by value. `message` as above; replaces lists without known
// merge rules.
Result<void> ApplyDeclaredObject(const json::Value& declared,
                                 const internal::MessageDescriptor* message, json::Value& document);

// Returns the function for a patch of that media type to an object of a type; null if such a
// resource does not support it.
using PatchFunction = Result<void> (*)(const json::Value& patch,
                                       const internal::MessageDescriptor* message,
                                       json::Value& document);
PatchFunction PatchFunctionOf(std::string_view content_type, bool custom);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_PATCH_H_
