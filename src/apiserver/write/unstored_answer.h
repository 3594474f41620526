// apiserver/write/unstored_answer.h
//
// UnstoredAnswer: an answer with an object that is stored nowhere, such as a Scale.

#ifndef KINFORMER_APISERVER_WRITE_UNSTORED_ANSWER_H_
#define KINFORMER_APISERVER_WRITE_UNSTORED_ANSWER_H_

#include "kinformer/json.h"
#include "kinformer/time.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// `object` in the form that was asked for. Asked for as a Table it is shown as JSON, and so is a
// kind that has no protobuf message. `at`: where the request went; its version gives way to that of
// the object. `now`: what ages are counted from.
[[nodiscard]] ResponsePtr UnstoredAnswer(ResourceAt at, const OutputFormat& format, int status,
                                         WallTime now, const json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_UNSTORED_ANSWER_H_
