// testing/fake_answer.h
//
// Answers to requests that no server sees: a whole body, a broken connection, and the answer of a
// server that is changed on its way.

#ifndef KINFORMER_TESTING_FAKE_ANSWER_H_
#define KINFORMER_TESTING_FAKE_ANSWER_H_

#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"
#include "kinformer/testing/fake.h"

namespace kinformer::internal::kit {

// A whole answer. `broken`: there is none, and the request ends with this error.
struct WholeAnswer {
  int status = 200;
  HttpHeaders headers{};
  std::string body{};
  Result<void> broken{};
};

// Returns the answer with this object; null: a Status of success. `created`: the status is 201.
[[nodiscard]] WholeAnswer AnswerOf(const json::Value& object, bool created);
// Returns the Status of the error, or for a reason of the client's side a broken connection.
[[nodiscard]] WholeAnswer AnswerOf(const Error& error);

// Gives the answer to `receiver` on the loop of `env`, in its next turns.
[[nodiscard]] std::unique_ptr<HttpCall> NewAnsweredCall(Env& env, WholeAnswer answer,
                                                        ResponseReceiver& receiver);

// Sends the request to `server` and gives `receiver` what `change` makes of the answer.
[[nodiscard]] std::unique_ptr<HttpCall> NewChangedCall(Env& env, Transport& server,
                                                       HttpRequest request,
                                                       testing::AnswerFunc change,
                                                       ResponseReceiver& receiver);

}  // namespace kinformer::internal::kit

#endif  // KINFORMER_TESTING_FAKE_ANSWER_H_
