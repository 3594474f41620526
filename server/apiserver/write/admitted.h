// apiserver/write/admitted.h
//
// Admission of writes by webhooks: makes the attributes of a request, and the response from the
// outcome.

#ifndef KINFORMER_APISERVER_WRITE_ADMITTED_H_
#define KINFORMER_APISERVER_WRITE_ADMITTED_H_

#include <functional>
#include <memory>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/admission/admission_webhooks.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object_writer.h"

namespace kinformer::apiserver {

// Returns the attributes without objects and size. `operation`: CREATE or UPDATE.
std::shared_ptr<AdmissionAttributes> AttributesOf(const ResourceRequest& request,
                                                  const WriteTarget& target,
                                                  std::string_view operation);
// The same for a DELETE.
std::shared_ptr<AdmissionAttributes> AttributesOfDelete(const ResourceRequest& request,
                                                        const WriteTarget& target,
                                                        const DeleteRequest& options);

// Responds with the result of `then`, called on the loop: at once if no webhook of the phase
// matches, else after the webhooks, and not at all if the response is destroyed before.
ResponsePtr WhenAdmitted(AdmissionWebhooks& webhooks, AdmissionPhase phase,
                         const std::shared_ptr<AdmissionAttributes>& attributes,
                         std::function<ResponsePtr(AdmissionOutcome outcome)> then);

// A create request whose object is not stored anywhere: a Binding, an Eviction, a TokenRequest or
// an access review.
struct UnstoredCreate {
  ResourceRequest request{};
  bool dry_run = false;
  json::Value object{};
  // Called on the loop, after mutating and before validating webhooks: validates the object, and
  // completes it.
  std::function<Result<void>(json::Value& object)> check{};
  // Makes the response, last.
  std::function<ResponsePtr(ResourceRequest request, json::Value object)> then{};
};

// Runs both phases of webhooks, and responds with the result of `then`, or with an error.
ResponsePtr WhenCreationAdmitted(AdmissionWebhooks& webhooks, UnstoredCreate create);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_ADMITTED_H_
