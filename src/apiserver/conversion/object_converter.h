// apiserver/conversion/object_converter.h
//
// ObjectConverter: gives objects the form of another version of their definition: asks its webhook,
// or takes out what that version does not have.

#ifndef KINFORMER_APISERVER_CONVERSION_OBJECT_CONVERTER_H_
#define KINFORMER_APISERVER_CONVERSION_OBJECT_CONVERTER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/responses.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Loop-confined. What a question costs by the size of its objects is done off the loop where it is
// much; waiting for answers holds up nobody. Counterpart: webhookConverter of
// apiextensions-apiserver.
class ObjectConverter {
 public:
  // Both must outlive it.
  ObjectConverter(ServerState& state, OffLoop& off_loop) : state_(state), off_loop_(off_loop) {}

  // A question under way. Without it nobody is told.
  using Ticket = std::shared_ptr<void>;

  // The objects in the version of `at`, which a webhook converts (webhook_conversion.h), in one
  // question about those that do not have it. Calls `done` on the loop, never before it has
  // returned. `answered`: the webhook has said something, which may be that it cannot.
  using Done = std::function<void(Result<std::vector<StoredObjectPtr>> objects, bool answered)>;
  [[nodiscard]] Ticket Convert(const ResourceAt& at, std::vector<StoredObjectPtr> objects,
                               Done done);
  // Whole objects of some version of `at`'s resource, likewise; `bytes` is about their size.
  using DocumentsDone = std::function<void(Result<std::vector<json::Value>> objects)>;
  [[nodiscard]] Ticket ConvertDocuments(const ResourceAt& at, std::size_t bytes,
                                        std::vector<json::Value> objects, DocumentsDone done);

  // Answers with what `then` makes of the object in the version of `at`: at once where nothing is
  // to be converted, and not at all if nobody waits for it any more.
  ResponsePtr WhenConverted(const ResourceAt& at, const StoredObjectPtr& stored,
                            std::function<ResponsePtr(Result<StoredObjectPtr> shown)> then);
  // Always asks.
  ResponsePtr WhenDocumentConverted(const ResourceAt& at, std::size_t bytes, json::Value object,
                                    std::function<ResponsePtr(Result<json::Value> made)> then);

 private:
  ServerState& state_;
  OffLoop& off_loop_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_CONVERSION_OBJECT_CONVERTER_H_
