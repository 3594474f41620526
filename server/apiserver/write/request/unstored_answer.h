// apiserver/write/request/unstored_answer.h
//
// Responses with an object that is not stored: a Scale, the success of a Binding.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_UNSTORED_ANSWER_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_UNSTORED_ANSWER_H_

#include "kinformer/json/json.h"
#include "kinformer/object/time.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Responds with `object` in the requested format; as JSON if a Table was requested, or the kind has
// no protobuf message. `at`: target of the request; its version is replaced by that of the object.
// `now`: base of ages.
[[nodiscard]] ResponsePtr UnstoredAnswer(ResourceAt at, const OutputFormat& format, int status,
                                         WallTime now, const json::Value& object);
// Makes the response to a Binding or an Eviction that has been carried out.
[[nodiscard]] ResponsePtr SuccessAnswer(bool pretty);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_UNSTORED_ANSWER_H_
