// apiserver/write/request/sent_patch.h
//
// SentPatch: the patch of a request, of any format.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_SENT_PATCH_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_SENT_PATCH_H_

#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/ownership/field_manager.h"
#include "apiserver/request/patch.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/store/stored_object.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/request/request_body.h"

namespace kinformer::apiserver {

struct SentPatch {
  PatchFunction apply = nullptr;
  bool server_side = false;  // a server-side apply
  bool force = false;        // takes fields from their owners
  WriteQuery query{};

  json::Value patch{};                  // set by DecodePatch
  std::vector<std::string> warnings{};  // about the patch itself
};

// Returns the kind of the request's patch, not decoded yet. Errors: UnsupportedMediaType, and those
// of the query.
Result<SentPatch> KindOfPatch(const ResourceRequest& request);
// Decodes the body. Thread-safe.
Result<void> DecodePatch(const ResourceRequest& request, SentPatch& sent);
// Applies the patch to `stored`, which is in the request's version, and adds warnings about the
// result. An apply sets the owners of fields, if `manager` tracks them. Thread-safe.
Result<json::Value> Patched(ObjectWriter& writer, const ResourceRequest& request,
                            const SentPatch& sent, const FieldManager& manager,
                            const StoredObject& stored, std::vector<std::string>& warnings);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_SENT_PATCH_H_
