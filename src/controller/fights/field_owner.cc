#include "controller/fights/field_owner.h"

#include <tuple>

namespace kinformer::internal::fights {
namespace {

bool HasMembers(const json::Value& fields) {
  for (const auto& [name, below] : fields.members()) {
    if (name.starts_with("f:")) return true;
  }
  return false;
}

// Whether a set of fields has the field, a part of it, or all that it is in.
bool Owns(const json::Value& fields, const std::vector<std::string>& steps) {
  const json::Value* at = &fields;
  bool inside = false;
  for (const std::string& step : steps) {
    const json::Value* const below = at->Find("f:" + step);
    if (below == nullptr) return inside && !HasMembers(*at);
    at = below;
    inside = true;
  }
  return inside;
}

}  // namespace

std::string OwnerOf(const json::Value& object, const std::vector<std::string>& steps,
                    const std::string& other_than) {
  std::string best;
  auto best_rank = std::tuple(false, false, std::string());
  for (const json::Value& entry : object["metadata"]["managedFields"].items()) {
    const std::string& manager = entry["manager"].StringOrEmpty();
    auto rank = std::tuple(Owns(entry["fieldsV1"], steps), manager != other_than,
                           entry["time"].StringOrEmpty());
    if (!best.empty() && rank < best_rank) continue;
    best = manager;
    best_rank = std::move(rank);
  }
  return best;
}

}  // namespace kinformer::internal::fights
