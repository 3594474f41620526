// apiserver/conversion/object_converter.h
//
// ObjectConverter: converts objects to another version of their definition, by its webhook or by
// removing the fields that the version lacks.

#ifndef KINFORMER_APISERVER_CONVERSION_OBJECT_CONVERTER_H_
#define KINFORMER_APISERVER_CONVERSION_OBJECT_CONVERTER_H_

#include <cstddef>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Objects in one version, or the error that clients get.
struct ConvertedAll {
  Result<std::vector<StoredObjectPtr>> objects = std::vector<StoredObjectPtr>();
  bool answered = false;  // the webhook has responded, maybe with a failure
};

// Loop-confined. Work that grows with the size of the objects runs off the loop if it is much, and
// waiting for responses of webhooks does not block. Counterpart: webhookConverter of
// apiextensions-apiserver.
class ObjectConverter {
 public:
  // Both must outlive it.
  ObjectConverter(ServerState& state, OffLoop& off_loop) : state_(state), off_loop_(off_loop) {}

  // Returns the object in the version of `at`: at once if it needs no conversion.
  Task<Result<StoredObjectPtr>> Convert(ResourceAt at, StoredObjectPtr stored);
  // Converts the objects to the version of `at`, which a webhook serves (webhook_conversion.h), in
  // one call with all objects of other versions. Never completes in the same turn of the loop.
  Task<ConvertedAll> ConvertAll(ResourceAt at, std::vector<StoredObjectPtr> objects);
  // The same for objects of any version of `at`'s resource; `bytes` is their approximate size.
  Task<Result<std::vector<json::Value>>> ConvertDocuments(ResourceAt at, std::size_t bytes,
                                                          std::vector<json::Value> objects);
  Task<Result<json::Value>> ConvertDocument(ResourceAt at, std::size_t bytes, json::Value object);

 private:
  struct Work;
  // Converts the objects of `work`, whose size is about `bytes`. Returns whether the webhook has
  // responded.
  Task<bool> Run(Work& work, std::size_t& bytes);

  ServerState& state_;
  OffLoop& off_loop_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_CONVERSION_OBJECT_CONVERTER_H_
