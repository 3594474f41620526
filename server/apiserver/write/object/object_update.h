// apiserver/write/object/object_update.h
//
// Merging of an object sent by a client with the stored one: which parts the client may change, and
// which are kept.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_OBJECT_UPDATE_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_OBJECT_UPDATE_H_

#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

struct UpdateScope {
  ResourceAt at{};
  std::string_view subresource{};
  // Accepts the status in a write of the object, even if the resource has a status subresource;
  // writes to that subresource change only the status.
  bool keep_status = false;
};

// Returns `object` merged over `old`: subresource `status` changes only the status and some
// metadata, and so on. Metadata that clients cannot set is kept, and the generation is updated.
[[nodiscard]] json::Value MergeForUpdate(const UpdateScope& scope, const json::Value& old,
                                         json::Value object);

// Returns an error for finalizers added to an object that is being deleted; empty: none are.
std::vector<StatusCause> ValidateAddedFinalizers(const json::Value& old, const json::Value& object);

// Returns warnings about new finalizers without a domain, whose names may clash with others. The
// messages are those of the server of custom resources.
std::vector<std::string> FinalizerWarnings(const json::Value& old, const json::Value& object);

// Returns whether the objects are equal except for resourceVersion; the write is then a no-op.
[[nodiscard]] bool SameObject(const json::Value& a, const json::Value& b);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_OBJECT_UPDATE_H_
