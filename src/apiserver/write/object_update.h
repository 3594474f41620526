// apiserver/write/object_update.h
//
// What becomes of an object that is sent in the place of a stored one: which parts are the
// client's, and which stay as they were.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_UPDATE_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_UPDATE_H_

#include <string_view>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

struct UpdateScope {
  ResourceAt at{};
  std::string_view subresource{};
  // The status that comes with an object counts, though the resource has a status subresource; and
  // what comes to that subresource is the status alone.
  bool keep_status = false;
};

// `object` over `old`: of the subresource `status` the status and such metadata as goes with it,
// and so on; with the metadata that clients cannot set, and the generation that follows.
[[nodiscard]] json::Value MergeForUpdate(const UpdateScope& scope, const json::Value& old,
                                         json::Value object);

// An object that is being deleted gets no finalizers that it did not have. Empty: it does not.
std::vector<StatusCause> ValidateAddedFinalizers(const json::Value& old, const json::Value& object);

// What is to be said of the names of finalizers that come in: without a domain they may be somebody
// else's, too. In the words of the server of custom resources.
std::vector<std::string> FinalizerWarnings(const json::Value& old, const json::Value& object);

// Whether the objects are equal but for the resourceVersion, so that a write would change nothing.
[[nodiscard]] bool SameObject(const json::Value& a, const json::Value& b);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_UPDATE_H_
