// apiserver/admission/admission_question.h
//
// AdmissionQuestionFor, AdmissionOutcome: what the webhooks of a phase are asked, and their answer.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_QUESTION_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_QUESTION_H_

#include <functional>
#include <string>
#include <vector>

#include "kinformer/base/result.h"

#include "apiserver/admission/webhook.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/request/async.h"

namespace kinformer::apiserver {

// Combined result of all webhooks of a phase.
struct AdmissionOutcome {
  Result<void> allowed{};
  bool changed = false;  // attributes.object was replaced
  std::vector<std::string> warnings{};
};

// Changes the object of the request between the two rounds of mutating webhooks. Returns whether it
// has changed.
using BetweenRounds = std::function<Task<Result<bool>>()>;

// A webhook to call, with the resource and version that its rules name: the request's own, or an
// equivalent one (matchPolicy).
struct AdmissionQuestionFor {
  WebhookPtr webhook{};
  ResourceAt at{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_QUESTION_H_
