// apiserver/builtin/defaults_plan.h
//
// MessagePlan: how an object of a message looks after the server has decoded it: which members it
// has, in which order, and what those are that nobody sent. Made of the message's descriptor and of
// the table of defaults.

#ifndef KINFORMER_APISERVER_BUILTIN_DEFAULTS_PLAN_H_
#define KINFORMER_APISERVER_BUILTIN_DEFAULTS_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json.h"

#include "apiserver/builtin/defaults_table.h"

namespace kinformer::apiserver {

struct MessagePlan;

struct DefaultCondition {
  enum class Test : std::uint8_t { kPresent, kEquals, kLatest };
  Test test = Test::kPresent;
  std::vector<std::size_t> members{};  // one of these fields
  json::Value value{};
};

struct DefaultRule {
  enum class Gives : std::uint8_t { kNothing, kValue, kCopy, kMissingEntries };
  std::vector<DefaultCondition> when{};  // all of them
  Gives gives = Gives::kNothing;
  json::Value value{};
  std::size_t other = 0;  // the field that is copied
};

struct FieldPlan {
  std::string_view name{};
  const internal::FieldDescriptor* field = nullptr;
  const MessagePlan* child = nullptr;  // of messages that have a plan
  std::vector<DefaultRule> rules{};    // the first that holds counts
};

struct MessagePlan {
  const internal::MessageDescriptor* message = nullptr;
  // In the order of JSON; the fields of inlined messages stand in their place.
  std::vector<FieldPlan> fields{};
  std::vector<std::pair<std::string_view, std::size_t>> by_name{};
  std::vector<std::size_t> ruled{};   // the fields that have rules
  std::vector<std::size_t> always{};  // those that are written even if nobody sent them
  // Of messages that carry kind and apiVersion inside others.
  std::vector<std::pair<std::string_view, json::Value>> type_meta{};
  // What no table can say; null: nothing. Gets the members as they were sent.
  void (*prepare)(json::Object& members) = nullptr;
  // What `{}` becomes.
  json::Value empty{};

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  [[nodiscard]] std::size_t Find(std::string_view name) const;
  // The same. Members mostly stand in order, so it is first looked for a little behind the one that
  // was found before; `next` is that one's successor, and moves on.
  std::size_t FindNext(std::string_view name, std::size_t& next) const;
};

// Makes plans when they are first asked for, and keeps them. Thread-safe. Plans do not change, and
// live as long as this.
class DefaultPlans {
 public:
  DefaultPlans();
  DefaultPlans(const DefaultPlans&) = delete;
  DefaultPlans& operator=(const DefaultPlans&) = delete;

  // `kind`: "apps/v1 Deployment".
  const MessagePlan& For(const internal::MessageDescriptor& message, std::string_view kind);

 private:
  struct Known {
    std::string kind{};
    const MessagePlan* plan = nullptr;
  };
  using Rows = std::vector<const DefaultRow*>;

  const MessagePlan& Make(const internal::MessageDescriptor& message, const std::string& kind,
                          const std::string& parent);
  void AddFields(MessagePlan& plan, const internal::MessageDescriptor& message) const;
  void AddRules(MessagePlan& plan, const std::string& kind, const std::string& parent) const;
  void AddRule(MessagePlan& plan, const DefaultRow& row) const;

  std::mutex mutex_;                                      // for the two last
  std::unordered_map<std::string_view, Rows> rows_{};     // by message
  std::unordered_map<std::string_view, bool> special_{};  // kinds and places that the table names
  std::map<std::string, std::unique_ptr<MessagePlan>, std::less<>> plans_{};
  std::unordered_map<const internal::MessageDescriptor*, Known> known_{};  // asked for last
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEFAULTS_PLAN_H_
