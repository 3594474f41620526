#include "apiserver/plugins/resource_list.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

resource::Quantity QuantityOf(const json::Value& value) {
  const std::string text = value.is_number() ? value.NumberText() : value.StringOrEmpty();
  return resource::Quantity::Parse(text).value_or({});
}

bool IsPodLevel(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

}  // namespace

ResourceList ResourceListOf(const json::Value& list) {
  ResourceList out;
  for (const auto& [name, amount] : list.members()) out.emplace(name, QuantityOf(amount));
  return out;
}

json::Value ToJson(const ResourceList& list) {
  json::Value out = json::Value::MakeObject();
  for (const auto& [name, amount] : list) out.Set(name, amount.ToString());
  return out;
}

std::string ToText(const ResourceList& list) {
  std::string out;
  for (const auto& [name, amount] : list) {
    if (!out.empty()) out += ',';
    out += name + "=" + amount.ToString();
  }
  return out;
}

void Add(const ResourceList& more, ResourceList& sum) {
  for (const auto& [name, amount] : more) sum[name] += amount;
}

void Subtract(const ResourceList& less, ResourceList& from) {
  for (const auto& [name, amount] : less) from[name] -= amount;
}

void Maximize(const ResourceList& other, ResourceList& most) {
  for (const auto& [name, amount] : other) {
    const auto [there, added] = most.try_emplace(name, amount);
    if (!added && amount > there->second) there->second = amount;
  }
}

ResourceList ResourcesOfPod(const json::Value& spec, std::string_view field, bool with_overhead) {
  ResourceList sum;
  for (const json::Value& container : spec["containers"].items()) {
    Add(ResourceListOf(container["resources"][field]), sum);
  }
  // Init containers run one after the other, beside the sidecars that were started before them.
  ResourceList sidecars;
  ResourceList most;
  for (const json::Value& container : spec["initContainers"].items()) {
    const ResourceList own = ResourceListOf(container["resources"][field]);
    if (container["restartPolicy"].StringOrEmpty() == "Always") {
      Add(own, sum);
      Add(own, sidecars);
      Maximize(sidecars, most);
    } else {
      ResourceList together = sidecars;
      Add(own, together);
      Maximize(together, most);
    }
  }
  Maximize(most, sum);
  for (auto& [name, amount] : ResourceListOf(spec["resources"][field])) {
    if (IsPodLevel(name)) sum[name] = std::move(amount);
  }
  if (!with_overhead) return sum;
  for (const auto& [name, amount] : ResourceListOf(spec["overhead"])) {
    const auto there = sum.find(name);
    const bool limited = there != sum.end() && !there->second.IsZero();
    if (field == "requests" || limited) sum[name] += amount;
  }
  return sum;
}

}  // namespace kinformer::apiserver
