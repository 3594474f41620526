// apiserver/mutations.h
//
// Mutations: the requests that change something: from the body and the query to ObjectWriter, and back to an answer.

#ifndef KINFORMER_SRC_APISERVER_MUTATIONS_H_
#define KINFORMER_SRC_APISERVER_MUTATIONS_H_

#include "apiserver/object_writer.h"
#include "apiserver/reader.h"
#include "apiserver/responses.h"
#include "apiserver/server_state.h"

namespace kinformer::apiserver {

// Loop-confined. Errors come back as responses.
class Mutations {
 public:
  Mutations(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  ResponsePtr Create(const ResourceRequest& request);
  ResponsePtr Update(const ResourceRequest& request);
  ResponsePtr Patch(const ResourceRequest& request);
  ResponsePtr Delete(const ResourceRequest& request);
  ResponsePtr DeleteCollection(const ResourceRequest& request);

  // GET, PUT and PATCH of a scale subresource.
  ResponsePtr Scale(const ResourceRequest& request);

 private:
  // POST to pods/x/binding and pods/x/eviction.
  ResponsePtr Bind(const ResourceRequest& request);
  ResponsePtr Evict(const ResourceRequest& request);
  // Resources that only answer: access reviews.
  ResponsePtr Review(const ResourceRequest& request);
  ResponsePtr Answer(const ResourceRequest& request, const Result<WriteOutcome>& outcome,
                     const std::vector<std::string>& warnings = {});
  // The problems with fields that fieldValidation is about; an error where it is Strict.
  Result<std::vector<std::string>> ValidateFields(const ResourceRequest& request,
                                                  const json::Value& object,
                                                  const std::vector<std::string>& duplicates) const;

  ServerState& state_;
  ObjectWriter& writer_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_MUTATIONS_H_
