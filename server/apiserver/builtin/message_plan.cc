#include "apiserver/builtin/message_plan.h"

#include <algorithm>

namespace kinformer::apiserver {

std::size_t MessagePlan::Find(std::string_view name) const {
  const auto at = std::lower_bound(by_name.begin(), by_name.end(), name,
                                   [](const auto& a, std::string_view b) { return a.first < b; });
  return at != by_name.end() && at->first == name ? at->second : kNone;
}

std::size_t MessagePlan::FindNext(std::string_view name, std::size_t& next) const {
  constexpr std::size_t kNear = 8;
  const std::size_t end = std::min(next + kNear, fields.size());
  for (std::size_t at = next; at < end; ++at) {
    if (fields[at].name != name) continue;
    next = at + 1;
    return at;
  }
  const std::size_t at = Find(name);
  if (at != kNone) next = at + 1;
  return at;
}

}  // namespace kinformer::apiserver
