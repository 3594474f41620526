// apiserver/write/request/mutations.h
//
// Mutations: handles all requests that change something: decodes them, passes them to ObjectWriter,
// and makes the responses.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_MUTATIONS_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_MUTATIONS_H_

#include <utility>

#include "apiserver/admission/admission.h"
#include "apiserver/conversion/object_converter.h"
#include "apiserver/conversion/version_caches.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/request/admitted.h"
#include "apiserver/write/request/body_writer.h"
#include "apiserver/write/request/eviction.h"
#include "apiserver/write/request/reviews.h"
#include "apiserver/write/request/service_account_tokens.h"

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

  // Handles all verbs but those that only read; of a scale subresource, GET too.
  ResponsePtr Answer(ResourceRequest request);

  // ---- Writes by a part of this process, as BodyWriter has them.
  [[nodiscard]] bool ReviewsWrites() const { return bodies_.ReviewsWrites(); }
  Task<Result<void>> CreateReviewed(ResourceRequest request, json::Value object) {
    return bodies_.CreateReviewed(std::move(request), std::move(object));
  }
  Task<Result<void>> UpdateReviewed(ResourceRequest request, json::Value object) {
    return bodies_.UpdateReviewed(std::move(request), std::move(object));
  }
  Task<Result<void>> DeleteReviewed(ResourceRequest request, DeleteRequest options) {
    return bodies_.DeleteReviewed(std::move(request), std::move(options));
  }
  // A request to the Scale of an object.
  Task<Result<void>> ScaleReviewed(ResourceRequest request, const json::Value& replicas);
  // A request about a pod, which is bound to its spec.nodeName.
  Task<Result<void>> BindReviewed(ResourceRequest request, json::Value pod);

 private:
  Task<ResponsePtr> AnswerOf(ResourceRequest&& request);
  // The same with a storage: the answer waits until what was written before it is kept.
  Task<ResponsePtr> AnswerKept(ResourceRequest request);
  Task<ResponsePtr> AnswerCreate(ResourceRequest request);
  Task<ResponsePtr> AnswerDeleteCollection(ResourceRequest request);
  Task<ResponsePtr> AnswerScale(ResourceRequest request);
  Task<ResponsePtr> ShowScale(const ResourceRequest& request, StoredObjectPtr stored);
  // Handle POST to pods/x/binding (or bindings), and to serviceaccounts/x/token.
  Task<ResponsePtr> Bind(UnstoredCreate& create);
  Task<ResponsePtr> RequestToken(UnstoredCreate& create);
  // Handles resources that are not stored: access reviews.
  Task<ResponsePtr> Review(UnstoredCreate& create);

  ServerState& state_;
  ObjectWriter& writer_;
  ServiceAccountTokens& tokens_;
  Reviews reviews_;
  OffLoop& off_loop_;
  ObjectConverter& converter_;
  VersionCaches& caches_;
  Admission admission_;
  BodyWriter bodies_;
  Evictions evictions_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_MUTATIONS_H_
