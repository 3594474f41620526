// kinformer/internal/document_checks.h
//
// The checks of the test kit's matchers, without GoogleTest: each knows what it expects in words,
// and says what it found instead.

#ifndef KINFORMER_INTERNAL_DOCUMENT_CHECKS_H_
#define KINFORMER_INTERNAL_DOCUMENT_CHECKS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::internal::kit {

// Outcome of a check. `found` continues "which ": "has no label \"app\"".
struct Verdict {
  bool holds = false;
  std::string found{};
};

// A check of a text, such as a label's value.
struct TextCheck {
  std::string expected{};  // "is equal to \"web\""
  std::function<bool(const std::string& text)> holds{};
};

// A check of the value at a path.
struct ValueCheck {
  std::string expected{};
  std::function<Verdict(const json::Value& value)> run{};
};

// A check of an object.
struct DocumentCheck {
  std::string expected{};  // "has the label ..."
  std::string refused{};   // "has no label ..."
  std::function<Verdict(const json::Value& object)> run{};
};

// `expected` is an error if it could not be read: then nothing holds, and the reason is told.
[[nodiscard]] DocumentCheck EqualsDocument(Result<json::Value> expected);
[[nodiscard]] DocumentCheck ContainsDocument(Result<json::Value> expected);
[[nodiscard]] DocumentCheck HasTextAt(const std::string& what, std::string pointer,
                                      const TextCheck& text);
// `map` is "labels" or "annotations"; without `text` any value holds.
[[nodiscard]] DocumentCheck HasEntry(std::string_view map, std::string key,
                                     std::optional<TextCheck> text);
[[nodiscard]] DocumentCheck HasFinalizerNamed(std::string name);
[[nodiscard]] DocumentCheck HasConditionOf(std::string type, std::string status,
                                           std::optional<TextCheck> reason);
[[nodiscard]] DocumentCheck IsOwned(Result<json::Value> owner, bool controller);
[[nodiscard]] DocumentCheck HasValueAt(std::string path, ValueCheck value);

// Returns whether one of the events has this type and reason, and a message or note that holds.
[[nodiscard]] Verdict FindEvent(const std::vector<json::Value>& events, const std::string& type,
                                const std::string& reason, const std::optional<TextCheck>& message);

// Returns "Pod default/web-0", of what the object says about itself.
[[nodiscard]] std::string NameOfDocument(const json::Value& object);

// Returns the lines that differ, with "-" in front of those of `expected` and "+" in front of those
// of `actual`, and up to three lines around them; "" if there are none.
[[nodiscard]] std::string LineDiff(std::string_view expected, std::string_view actual);

}  // namespace kinformer::internal::kit

#endif  // KINFORMER_INTERNAL_DOCUMENT_CHECKS_H_
