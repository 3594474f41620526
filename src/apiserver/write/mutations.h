// apiserver/write/mutations.h
//
// Mutations: the requests that change something: from the body and the query to ObjectWriter, and
// back to an answer.

#ifndef KINFORMER_APISERVER_WRITE_MUTATIONS_H_
#define KINFORMER_APISERVER_WRITE_MUTATIONS_H_

#include <functional>
#include <string>
#include <vector>

#include "apiserver/registry/server_state.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object_writer.h"
#include "apiserver/write/request_body.h"
#include "apiserver/write/reviews.h"

namespace kinformer::apiserver {

// Loop-confined. Errors come back as responses.
class Mutations {
 public:
  Mutations(ServerState& state, ObjectWriter& writer)
      : state_(state), writer_(writer), reviews_(state) {}

  ResponsePtr Create(const ResourceRequest& request);
  ResponsePtr Update(const ResourceRequest& request);
  ResponsePtr Patch(const ResourceRequest& request);
  ResponsePtr Delete(const ResourceRequest& request);
  ResponsePtr DeleteCollection(const ResourceRequest& request);

  // GET, PUT and PATCH of a scale subresource.
  ResponsePtr Scale(const ResourceRequest& request);

 private:
  // POST to pods/x/binding (or bindings), pods/x/eviction, serviceaccounts/x/token.
  ResponsePtr Bind(const ResourceRequest& request, bool dry_run);
  ResponsePtr Evict(const ResourceRequest& request, bool dry_run);
  ResponsePtr RequestToken(const ResourceRequest& request, bool dry_run);
  // Resources that only answer: access reviews.
  ResponsePtr Review(const ResourceRequest& request);
  // The body of a create or update, checked, and what is to be done with it.
  using Write = std::function<Result<WriteOutcome>(const WriteTarget& target, json::Value object)>;
  ResponsePtr WriteBody(const ResourceRequest& request, std::string_view options_kind,
                        const Write& write);
  ResponsePtr Answer(const ResourceRequest& request, const Result<WriteOutcome>& outcome,
                     const std::vector<std::string>& warnings = {});
  // Checks the object's types, takes out what the schema does not know, and gives the problems with
  // fields that fieldValidation is about: as warnings, or as an error where it is Strict. Errors
  // say what is wrong, not of what.
  Result<std::vector<std::string>> ValidateFields(const ResourceRequest& request,
                                                  std::string_view mode, json::Value& object,
                                                  const std::vector<std::string>& duplicates) const;

  // The same of what a patch has made; `uid` is the object's. Errors are about the patch.
  Result<std::vector<std::string>> CheckPatched(const ResourceRequest& request,
                                                std::string_view mode, const std::string& uid,
                                                json::Value& object) const;

  ServerState& state_;
  ObjectWriter& writer_;
  Reviews reviews_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_MUTATIONS_H_
