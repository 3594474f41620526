// apiserver/builtin/message_plan.h
//
// MessagePlan: describes an object of a message after decoding by the server: its members, their
// order, and the values of those not sent. DefaultPlans (defaults_plan.h) makes it.

#ifndef KINFORMER_APISERVER_BUILTIN_MESSAGE_PLAN_H_
#define KINFORMER_APISERVER_BUILTIN_MESSAGE_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

struct MessagePlan;

struct DefaultCondition {
  enum class Test : std::uint8_t { kPresent, kEquals, kLatest };
  Test test = Test::kPresent;
  std::vector<std::size_t> members{};  // any one of these fields
  json::Value value{};
};

struct DefaultRule {
  enum class Gives : std::uint8_t { kNothing, kValue, kCopy, kMissingEntries };
  std::vector<DefaultCondition> when{};  // all must hold
  Gives gives = Gives::kNothing;
  json::Value value{};
  std::size_t other = 0;  // the field to copy
};

struct FieldPlan {
  std::string_view name{};
  const internal::FieldDescriptor* field = nullptr;
  const MessagePlan* child = nullptr;  // null for messages without a plan
  std::vector<DefaultRule> rules{};    // the first that holds applies
};

struct MessagePlan {
  const internal::MessageDescriptor* message = nullptr;
  // In JSON order; fields of inlined messages are listed in place of their message.
  std::vector<FieldPlan> fields{};
  std::vector<std::pair<std::string_view, std::size_t>> by_name{};
  std::vector<std::size_t> ruled{};   // indexes of fields with rules
  std::vector<std::size_t> always{};  // indexes of fields written even if not sent
  // kind and apiVersion, for messages that carry them inside other messages.
  std::vector<std::pair<std::string_view, json::Value>> type_meta{};
  // Applies defaults that no table can express, to the members as sent; null if there are none.
  void (*prepare)(json::Object& members) = nullptr;
  // Result of applying the defaults to `{}`.
  json::Value empty{};

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  [[nodiscard]] std::size_t Find(std::string_view name) const;
  // As Find, but fast for members in order: searches first a few places after the previous match.
  // `next` is the index after that match, and is updated.
  std::size_t FindNext(std::string_view name, std::size_t& next) const;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_MESSAGE_PLAN_H_
