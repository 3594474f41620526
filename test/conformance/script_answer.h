// test/conformance/script_answer.h
//
// ScriptAnswer: one answer of a server as the expectations of server_checks.txt see it, whatever
// form its body came in.

#ifndef KINFORMER_TEST_CONFORMANCE_SCRIPT_ANSWER_H_
#define KINFORMER_TEST_CONFORMANCE_SCRIPT_ANSWER_H_

#include <optional>
#include <string>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/transport.h"

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
  // An expectation without its variables.
  [[nodiscard]] bool Holds(std::string text) const;
  // What a variable may be set to: "/pointer", "frame N /pointer", "header Name", "status",
  // "events", "versions". Empty where there is no such thing.
  [[nodiscard]] std::optional<std::string> Value(std::string source) const;
  // For messages.
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
