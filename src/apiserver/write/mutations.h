// apiserver/write/mutations.h
//
// Mutations: the requests that change something: from the body and the query to ObjectWriter, and
// back to an answer.

#ifndef KINFORMER_APISERVER_WRITE_MUTATIONS_H_
#define KINFORMER_APISERVER_WRITE_MUTATIONS_H_

#include <utility>

#include "apiserver/registry/server_state.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/body_writer.h"
#include "apiserver/write/object_writer.h"
#include "apiserver/write/request_body.h"
#include "apiserver/write/reviews.h"
#include "apiserver/write/service_account_tokens.h"

namespace kinformer::apiserver {

// Loop-confined. Errors come back as responses.
class Mutations {
 public:
  // All must outlive it, but for `off_loop`, which must end before it.
  Mutations(ServerState& state, ObjectWriter& writer, ServiceAccountTokens& tokens,
            OffLoop& off_loop)
      : state_(state),
        writer_(writer),
        tokens_(tokens),
        reviews_(state, tokens),
        bodies_(state, writer, off_loop) {}

  ResponsePtr Create(ResourceRequest request);
  ResponsePtr Update(ResourceRequest request) { return bodies_.Update(std::move(request)); }
  ResponsePtr Patch(ResourceRequest request) { return bodies_.Patch(std::move(request)); }
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
  ServerState& state_;
  ObjectWriter& writer_;
  ServiceAccountTokens& tokens_;
  Reviews reviews_;
  BodyWriter bodies_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_MUTATIONS_H_
