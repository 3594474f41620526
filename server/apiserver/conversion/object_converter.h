// apiserver/conversion/object_converter.h
//
// ObjectConverter: converts objects to another version of their definition, by its webhook or by
// removing the fields that the version lacks.

#ifndef KINFORMER_APISERVER_CONVERSION_OBJECT_CONVERTER_H_
#define KINFORMER_APISERVER_CONVERSION_OBJECT_CONVERTER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/responses.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Loop-confined. Work that grows with the size of the objects runs off the loop if it is much, and
// waiting for responses of webhooks does not block. Counterpart: webhookConverter of
// apiextensions-apiserver.
class ObjectConverter {
 public:
  // Both must outlive it.
  ObjectConverter(ServerState& state, OffLoop& off_loop) : state_(state), off_loop_(off_loop) {}

  // Owns a conversion under way; destroying it cancels the callback.
  using Ticket = std::shared_ptr<void>;

  // Converts the objects to the version of `at`, which a webhook serves (webhook_conversion.h), in
  // one call with all objects of other versions. Calls `done` on the loop, never before returning.
  // `answered`: the webhook has responded, maybe with a failure.
  using Done = std::function<void(Result<std::vector<StoredObjectPtr>> objects, bool answered)>;
  [[nodiscard]] Ticket Convert(const ResourceAt& at, std::vector<StoredObjectPtr> objects,
                               Done done);
  // The same for objects of any version of `at`'s resource; `bytes` is their approximate size.
  using DocumentsDone = std::function<void(Result<std::vector<json::Value>> objects)>;
  [[nodiscard]] Ticket ConvertDocuments(const ResourceAt& at, std::size_t bytes,
                                        std::vector<json::Value> objects, DocumentsDone done);

  // Responds with the result of `then` for the object in the version of `at`: at once if it needs
  // no conversion, and not at all if the response is destroyed before.
  ResponsePtr WhenConverted(const ResourceAt& at, const StoredObjectPtr& stored,
                            std::function<ResponsePtr(Result<StoredObjectPtr> shown)> then);
  // The same, always by calling the webhook.
  ResponsePtr WhenDocumentConverted(const ResourceAt& at, std::size_t bytes, json::Value object,
                                    std::function<ResponsePtr(Result<json::Value> made)> then);

 private:
  ServerState& state_;
  OffLoop& off_loop_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_CONVERSION_OBJECT_CONVERTER_H_
