// apiserver/schema/rule_set.h
//
// RuleSet: the x-kubernetes-validations of one schema, compiled once.

#ifndef KINFORMER_APISERVER_SCHEMA_RULE_SET_H_
#define KINFORMER_APISERVER_SCHEMA_RULE_SET_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/program.h"
#include "cel/type.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kValidationRules = "x-kubernetes-validations";

// Positions of the variables of a rule.
inline constexpr std::size_t kSelf = 0;
inline constexpr std::size_t kOldSelf = 1;

// One rule. Without a program, `error` says why; an empty rule has neither.
struct ValidationRule {
  // The name of a failure: the message, or else the rule.
  std::string shown{};
  std::string message{};  // empty if there is none
  std::string reason{};
  std::string field_path{};  // as it is appended to the field: "a.b[c]"
  std::optional<bool> optional_old_self{};
  bool uses_old_self = false;
  std::shared_ptr<const internal::cel::Program> program{};
  std::string error{};
  std::shared_ptr<const internal::cel::Program> message_program{};
  std::string message_error{};
};

// Immutable and thread-safe.
struct RuleSet {
  internal::cel::TypePtr type{};  // of self; null if rules cannot be written for it
  std::vector<ValidationRule> rules{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_RULE_SET_H_
