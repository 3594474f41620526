// apiserver/write/admitted.h
//
// Writes that webhooks are asked about: from a request to the question, and from what they said to
// the answer.

#ifndef KINFORMER_APISERVER_WRITE_ADMITTED_H_
#define KINFORMER_APISERVER_WRITE_ADMITTED_H_

#include <functional>
#include <memory>
#include <string_view>

#include "apiserver/admission/admission_webhooks.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object_writer.h"

namespace kinformer::apiserver {

// All but the objects. `operation`: CREATE, UPDATE or DELETE.
std::shared_ptr<AdmissionAttributes> AttributesOf(const ResourceRequest& request,
                                                  const WriteTarget& target,
                                                  std::string_view operation);

// Answers with what `then` makes on the loop: at once where no webhook of that phase is concerned,
// else when they have answered, and not at all if nobody waits for it any more.
ResponsePtr WhenAdmitted(AdmissionWebhooks& webhooks, AdmissionPhase phase,
                         const std::shared_ptr<AdmissionAttributes>& attributes,
                         std::function<ResponsePtr(AdmissionOutcome outcome)> then);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_ADMITTED_H_
