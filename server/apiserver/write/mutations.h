// apiserver/write/mutations.h
//
// Mutations: handles all requests that change something: decodes them, passes them to ObjectWriter,
// and makes the responses.

#ifndef KINFORMER_APISERVER_WRITE_MUTATIONS_H_
#define KINFORMER_APISERVER_WRITE_MUTATIONS_H_

#include <functional>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/admission/admission_webhooks.h"
#include "apiserver/conversion/object_converter.h"
#include "apiserver/conversion/version_caches.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/patch.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/admitted.h"
#include "apiserver/write/body_writer.h"
#include "apiserver/write/collection_deletion.h"
#include "apiserver/write/eviction.h"
#include "apiserver/write/object_writer.h"
#include "apiserver/write/request_body.h"
#include "apiserver/write/reviews.h"
#include "apiserver/write/service_account_tokens.h"

namespace kinformer::apiserver {

// Loop-confined. Errors are returned as responses.
class Mutations {
 public:
  // All must outlive it, except `off_loop`, which must be destroyed before it.
  Mutations(ServerState& state, ObjectWriter& writer, ServiceAccountTokens& tokens,
            OffLoop& off_loop, ObjectConverter& converter, VersionCaches& caches)
      : state_(state),
        writer_(writer),
        tokens_(tokens),
        reviews_(state, tokens),
        off_loop_(off_loop),
        converter_(converter),
        caches_(caches),
        admission_({.state = state, .off_loop = off_loop, .converter = converter}),
        bodies_(state, writer, off_loop, admission_, converter),
        evictions_(state, off_loop, admission_, bodies_) {}

  ResponsePtr Create(ResourceRequest request);
  ResponsePtr Update(ResourceRequest request) { return bodies_.Update(std::move(request)); }
  ResponsePtr Patch(ResourceRequest request) { return bodies_.Patch(std::move(request)); }
  ResponsePtr Delete(ResourceRequest request) { return bodies_.Delete(std::move(request)); }
  ResponsePtr DeleteCollection(ResourceRequest request);

  // Handles GET, PUT and PATCH of a scale subresource.
  ResponsePtr Scale(ResourceRequest request);

 private:
  using Decoder = Result<json::Value> (*)(const ResourceRequest& request);
  using Then = std::function<ResponsePtr(ResourceRequest request, json::Value body)>;
  // Decodes the body, off the loop if it is large, and passes it to `then`.
  ResponsePtr WithBody(ResourceRequest request, Decoder decode, Then then);

  ResponsePtr DeleteListed(CollectionDeletionPlan plan);
  ResponsePtr ShowScale(const ResourceRequest& request, const StoredObjectPtr& stored);
  // `apply`: null if the body is a Scale.
  ResponsePtr ChangeScale(ResourceRequest request, json::Value body, PatchFunction apply,
                          bool dry_run);
  // Handle POST to pods/x/binding (or bindings), and to serviceaccounts/x/token.
  ResponsePtr Bind(UnstoredCreate create);
  ResponsePtr RequestToken(UnstoredCreate create);
  // Handles resources that are not stored: access reviews.
  ResponsePtr Review(UnstoredCreate create);
  ResponsePtr AnswerReview(ResourceRequest request, json::Value review);

  ServerState& state_;
  ObjectWriter& writer_;
  ServiceAccountTokens& tokens_;
  Reviews reviews_;
  OffLoop& off_loop_;
  ObjectConverter& converter_;
  VersionCaches& caches_;
  AdmissionWebhooks admission_;
  BodyWriter bodies_;
  Evictions evictions_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_MUTATIONS_H_
