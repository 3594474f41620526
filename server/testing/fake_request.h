// testing/fake_request.h
//
// Reads a request as an Action, and writes the body of one whose object was changed.

#ifndef KINFORMER_TESTING_FAKE_REQUEST_H_
#define KINFORMER_TESTING_FAKE_REQUEST_H_

#include <string>

#include "kinformer/client/transport.h"
#include "kinformer/testing/action.h"

namespace kinformer::internal::kit {

// Returns what the request does. A body that cannot be read is no object.
[[nodiscard]] kinformer::testing::Action ActionOf(const HttpRequest& request);

// Makes `object` the body of the request, as JSON.
void SetBody(const json::Value& object, HttpRequest& request);

// Makes the request ask for JSON, in the forms that it would take: whole objects, tables, metadata.
void AskForJson(HttpRequest& request);

// Returns whether the request is a watch that asks for the initial events.
[[nodiscard]] bool AsksForInitialEvents(const HttpRequest& request);

}  // namespace kinformer::internal::kit

#endif  // KINFORMER_TESTING_FAKE_REQUEST_H_
