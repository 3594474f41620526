// apiserver/write/admitted.h
//
// Writes that webhooks are asked about: from a request to the question, and from what they said to
// the answer.

#ifndef KINFORMER_APISERVER_WRITE_ADMITTED_H_
#define KINFORMER_APISERVER_WRITE_ADMITTED_H_

#include <functional>
#include <memory>
#include <string_view>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/admission/admission_webhooks.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object_writer.h"

namespace kinformer::apiserver {

// All but the objects and their size. `operation`: CREATE or UPDATE.
std::shared_ptr<AdmissionAttributes> AttributesOf(const ResourceRequest& request,
                                                  const WriteTarget& target,
                                                  std::string_view operation);
// The same of a DELETE.
std::shared_ptr<AdmissionAttributes> AttributesOfDelete(const ResourceRequest& request,
                                                        const WriteTarget& target,
                                                        const DeleteRequest& options);

// Answers with what `then` makes on the loop: at once where no webhook of that phase is concerned,
// else when they have answered, and not at all if nobody waits for it any more.
ResponsePtr WhenAdmitted(AdmissionWebhooks& webhooks, AdmissionPhase phase,
                         const std::shared_ptr<AdmissionAttributes>& attributes,
                         std::function<ResponsePtr(AdmissionOutcome outcome)> then);

// The creation of an object that is stored nowhere: a Binding, an Eviction, a TokenRequest, a
// review.
struct UnstoredCreate {
  ResourceRequest request{};
  bool dry_run = false;
  json::Value object{};
  // On the loop, after mutating webhooks and before validating ones: what is wrong with the object,
  // and what the server adds to it.
  std::function<Result<void>(json::Value& object)> check{};
  // And at last, what comes of it.
  std::function<ResponsePtr(ResourceRequest request, json::Value object)> then{};
};

// Asks webhooks about it, of both phases, and answers with what `then` makes, or with an error.
ResponsePtr WhenCreationAdmitted(AdmissionWebhooks& webhooks, UnstoredCreate create);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_ADMITTED_H_
