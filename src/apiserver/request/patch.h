// apiserver/request/patch.h
//
// The patch formats that the API takes: RFC 6902, RFC 7386, and Kubernetes' strategic merge.

#ifndef KINFORMER_APISERVER_REQUEST_PATCH_H_
#define KINFORMER_APISERVER_REQUEST_PATCH_H_

#include <string_view>

#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::apiserver {

// BadRequest where the patch is not a list of operations, Invalid where one of them fails.
Result<void> ApplyJsonPatch(const json::Value& patch, json::Value& document);

// Maps merge, null deletes, lists are replaced unless their elements have a merge key: then these
// merge one by one. Directives: $patch, $deleteFromPrimitiveList, $setElementOrder, $retainKeys.
// BadRequest for a malformed one.
Result<void> ApplyStrategicMergePatch(const json::Value& patch, json::Value& document);

// What a server-side apply of a built-in kind declares, by the same rules; but ports are told apart
// by their protocol, too, and spread constraints by whenUnsatisfiable.
Result<void> ApplyDeclaredObject(const json::Value& declared, json::Value& document);

// What applies a patch of that media type; null where there is none of it for such a resource.
using PatchFunction = Result<void> (*)(const json::Value& patch, json::Value& document);
PatchFunction PatchFunctionOf(std::string_view content_type, bool custom);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_PATCH_H_
