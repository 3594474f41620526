// apiserver/admission/admission_run.h
//
// Calls of webhooks about one request: mutating ones in turn, validating ones at once.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_RUN_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_RUN_H_

#include <memory>
#include <vector>

#include "apiserver/admission/admission_question.h"
#include "apiserver/admission/admission_review.h"
#include "apiserver/admission/versioned_objects.h"
#include "apiserver/request/async.h"

namespace kinformer::apiserver {

// Implement AdmissionWebhooks::Ask.
Task<AdmissionOutcome> AskInTurn(AdmissionParts parts,
                                 std::shared_ptr<AdmissionAttributes> attributes,
                                 std::vector<AdmissionQuestionFor> questions,
                                 BetweenRounds between);
Task<AdmissionOutcome> AskAtOnce(AdmissionParts parts,
                                 std::shared_ptr<AdmissionAttributes> attributes,
                                 std::vector<AdmissionQuestionFor> questions);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_RUN_H_
