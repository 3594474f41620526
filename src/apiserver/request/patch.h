// apiserver/request/patch.h
//
// The patch formats that the API takes: RFC 6902, RFC 7386, and Kubernetes' strategic merge.

#ifndef KINFORMER_APISERVER_REQUEST_PATCH_H_
#define KINFORMER_APISERVER_REQUEST_PATCH_H_

#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::apiserver {

// BadRequest where the patch is not a list of operations, Invalid where one of them fails.
Result<void> ApplyJsonPatch(const json::Value& patch, json::Value& document);

// RFC 7386, but for nulls deep inside of what is new or takes a list's or a scalar's place: these
// are left out, as the real server's library has it. BadRequest where the patch is no object.
Result<void> ApplyMergePatch(const json::Value& patch, json::Value& document);

// Maps merge, null deletes, lists are replaced unless their field has a merge key: then elements
// merge one by one. Directives: $patch, $deleteFromPrimitiveList, $setElementOrder, $retainKeys.
// `message`: the type of the object; null: none of its fields is known, so nothing in it merges.
// BadRequest for malformed directives; a 500 without a reason, as the real server answers, for what
// does not fit the object or its type.
Result<void> ApplyStrategicMergePatch(const json::Value& patch,
                                      const internal::MessageDescriptor* message,
                                      json::Value& document);

// Merges what a server-side apply of a built-in kind declares: lists merge by all of their keys,
// ports by their protocol, too, or by value where they are sets. `message` as above; what is not
// known to merge is replaced.
Result<void> ApplyDeclaredObject(const json::Value& declared,
                                 const internal::MessageDescriptor* message, json::Value& document);

// The function for a patch of that media type to an object of a type; null where there is none
// for such a resource.
using PatchFunction = Result<void> (*)(const json::Value& patch,
                                       const internal::MessageDescriptor* message,
                                       json::Value& document);
PatchFunction PatchFunctionOf(std::string_view content_type, bool custom);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_PATCH_H_
