// test/conformance/script_answer.h
//
// ScriptAnswer: one answer of a server, as checked by the expectations of server_checks.txt, for
// all formats of the body.

#ifndef KINFORMER_TEST_CONFORMANCE_SCRIPT_ANSWER_H_
#define KINFORMER_TEST_CONFORMANCE_SCRIPT_ANSWER_H_

#include <optional>
#include <string>
#include <vector>

#include "kinformer/client/transport.h"
#include "kinformer/json/json.h"

namespace kinformer::testing {

struct ScriptReply {
  int status = 0;
  HttpHeaders headers{};
  std::string body{};
};

// Splits off the first word.
std::string TakeWord(std::string& text);

class ScriptAnswer {
 public:
  ScriptAnswer() = default;
  explicit ScriptAnswer(ScriptReply reply);

  [[nodiscard]] int status() const { return reply_.status; }
  // Whether an expectation is true. Its variables must have been replaced.
  [[nodiscard]] bool Holds(std::string text) const;
  // Returns the value for a variable: "/pointer", "frame N /pointer", "header Name", "status",
  // "events", "versions". Empty if the answer has no such value.
  [[nodiscard]] std::optional<std::string> Value(std::string source) const;
  // Returns the answer as text for messages.
  [[nodiscard]] std::string Describe() const;

 private:
  const json::Value* Source(std::string& text) const;
  [[nodiscard]] bool Contains(const std::string& text) const;
  [[nodiscard]] bool HeaderHolds(std::string text) const;
  [[nodiscard]] bool PointerHolds(std::string text) const;
  [[nodiscard]] std::string Items() const;
  [[nodiscard]] std::string Events() const;
  [[nodiscard]] std::string Versions() const;
  [[nodiscard]] bool IsWatchList() const;

  ScriptReply reply_;
  json::Value json_;
  std::vector<json::Value> frames_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_CONFORMANCE_SCRIPT_ANSWER_H_
