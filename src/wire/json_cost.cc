#include "wire/json_cost.h"

namespace kinformer::json {

std::size_t CostOf(const Value& value) {
  std::size_t cost = sizeof(Object::Member) + value.StringOrEmpty().size();
  for (const Value& item : value.items()) cost += CostOf(item);
  for (const auto& [name, member] : value.members()) cost += name.size() + CostOf(member);
  return cost;
}

}  // namespace kinformer::json
