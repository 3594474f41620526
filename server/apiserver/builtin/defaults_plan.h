// apiserver/builtin/defaults_plan.h
//
// DefaultPlans: makes the plans of messages (message_plan.h) from their descriptors and the table
// of defaults.

#ifndef KINFORMER_APISERVER_BUILTIN_DEFAULTS_PLAN_H_
#define KINFORMER_APISERVER_BUILTIN_DEFAULTS_PLAN_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kinformer/internal/descriptor.h"

#include "apiserver/builtin/defaults_table.h"
#include "apiserver/builtin/message_plan.h"

namespace kinformer::apiserver {

// Makes each plan on first use and caches it. Thread-safe. Plans are immutable and owned by this
// object.
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

  std::mutex mutex_;                                   // guards the last two
  std::unordered_map<std::string_view, Rows> rows_{};  // by message name
  std::unordered_set<std::string_view> special_{};     // kinds and places named in the table
  std::map<std::string, std::unique_ptr<MessagePlan>, std::less<>> plans_{};
  std::unordered_map<const internal::MessageDescriptor*, Known> known_{};  // last use per message
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEFAULTS_PLAN_H_
