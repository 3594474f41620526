#include "apiserver/plugins/limit_ranger.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/plugins/resource_list.h"

namespace kinformer::apiserver {
namespace {

constexpr int kDigitsOfRatios = 6;  // behind the point

using resource::Quantity;

constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";

// Returns the LimitRanges of a namespace, by name.
std::vector<json::Value> LimitRangesOf(const ServerState& state, std::string_view namespace_) {
  std::vector<json::Value> out;
  const auto ranges = state.resources.FindGroupResource("", "limitranges");
  ranges->store->Walk(NamespacePrefix(namespace_), {}, state.resource_version,
                      [&](const StoredObjectPtr& stored) {
                        out.push_back(stored->Parse());
                        return true;
                      });
  return out;
}

// ---- Defaults

struct ContainerDefaults {
  ResourceList requests{};
  ResourceList limits{};
};

ContainerDefaults DefaultsOf(const json::Value& range) {
  ContainerDefaults out;
  for (const json::Value& limit : range.At("/spec/limits").items()) {
    if (limit["type"].StringOrEmpty() != "Container") continue;
    for (auto& [name, amount] : ResourceListOf(limit["defaultRequest"])) {
      out.requests.insert_or_assign(name, amount);
    }
    for (auto& [name, amount] : ResourceListOf(limit["default"])) {
      out.limits.insert_or_assign(name, amount);
    }
  }
  return out;
}

// Adds the amounts that are missing in `field` of a container. Returns their names, "cpu, memory".
std::string FillIn(const ResourceList& defaults, const char* field, json::Value& container) {
  std::string set;
  for (const auto& [name, amount] : defaults) {
    if (std::as_const(container)["resources"][field].contains(name)) continue;
    container.Ensure("resources", field).Set(name, amount.ToString());
    set += (set.empty() ? "" : ", ") + name;
  }
  if (set.empty()) return set;
  if (json::Object* const members = container.Ensure("resources", field).IfObject()) {
    members->SortByName();
  }
  return set;
}

void FillIn(const ContainerDefaults& defaults, json::Value& pod) {
  std::string done;
  const auto note = [&](const std::string& set, const char* what, const std::string& name) {
    if (!set.empty()) done.append(done.empty() ? "" : "; ").append(set).append(what).append(name);
  };
  constexpr auto kLists = std::to_array<std::array<const char*, 3>>(
      {{"containers", " request for container ", " limit for container "},
       {"initContainers", " request for init container ", " limit for init container "}});
  for (const auto& [field, request, limit] : kLists) {
    json::Value* const list = pod.Ensure("spec").Find(field);
    json::Array* const containers = list == nullptr ? nullptr : list->IfArray();
    if (containers == nullptr) continue;
    for (json::Value& container : *containers) {
      const std::string name = std::as_const(container)["name"].StringOrEmpty();
      note(FillIn(defaults.requests, "requests", container), request, name);
      note(FillIn(defaults.limits, "limits", container), limit, name);
    }
  }
  if (done.empty()) return;
  json::Value& annotations = pod.Ensure("metadata", "annotations");
  annotations.Set(kAnnotation, "LimitRanger plugin set: " + done);
  annotations.EnsureObject().SortByName();
}

// ---- Bounds

// An item of a LimitRange, and what it bounds: a container, a pod or a claim.
struct Bounded {
  const std::string& type;
  const ResourceList& requests;
  const ResourceList& limits;
};

// Values of a resource, comparable with each other: thousandths, if those of all three fit.
struct Comparable {
  Comparable(const Quantity* request_amount, const Quantity* limit_amount,
             const Quantity& enforced_amount) {
    constexpr std::int64_t kMostWhole = std::numeric_limits<std::int64_t>::max() / 1000;
    const Quantity none;
    const Quantity& r = request_amount == nullptr ? none : *request_amount;
    const Quantity& l = limit_amount == nullptr ? none : *limit_amount;
    const bool fine =
        r.Value() <= kMostWhole && l.Value() <= kMostWhole && enforced_amount.Value() <= kMostWhole;
    request = fine ? r.MilliValue() : r.Value();
    limit = fine ? l.MilliValue() : l.Value();
    enforced = fine ? enforced_amount.MilliValue() : enforced_amount.Value();
  }
  std::int64_t request = 0;
  std::int64_t limit = 0;
  std::int64_t enforced = 0;
};

const Quantity* Find(const ResourceList& list, const std::string& name) {
  const auto found = list.find(name);
  return found == list.end() ? nullptr : &found->second;
}

// Check one bound. Return what is wrong; empty: nothing.
std::string CheckMin(const Bounded& what, const std::string& name, const Quantity& enforced) {
  const Quantity* const request = Find(what.requests, name);
  const Quantity* const limit = Find(what.limits, name);
  const Comparable values(request, limit, enforced);
  const std::string begin =
      "minimum " + name + " usage per " + what.type + " is " + enforced.ToString();
  if (request == nullptr) return begin + ".  No request is specified";
  if (values.request < values.enforced) return begin + ", but request is " + request->ToString();
  if (limit != nullptr && values.limit < values.enforced) {
    return begin + ", but limit is " + limit->ToString();
  }
  return {};
}

std::string CheckMax(const Bounded& what, const std::string& name, const Quantity& enforced) {
  const Quantity* const request = Find(what.requests, name);
  const Quantity* const limit = Find(what.limits, name);
  const Comparable values(request, limit, enforced);
  const std::string begin =
      "maximum " + name + " usage per " + what.type + " is " + enforced.ToString();
  if (limit == nullptr) return begin + ".  No limit is specified";
  if (values.limit > values.enforced) return begin + ", but limit is " + limit->ToString();
  if (request != nullptr && values.request > values.enforced) {
    return begin + ", but request is " + request->ToString();
  }
  return {};
}

std::string CheckMaxRequest(const Bounded& what, const std::string& name,
                            const Quantity& enforced) {
  const Quantity* const request = Find(what.requests, name);
  const Comparable values(request, nullptr, enforced);
  const std::string begin =
      "maximum " + name + " usage per " + what.type + " is " + enforced.ToString();
  if (request == nullptr) return begin + ".  No request is specified";
  if (values.request > values.enforced) return begin + ", but request is " + request->ToString();
  return {};
}

std::string CheckRatio(const Bounded& what, const std::string& name, const Quantity& enforced) {
  const Comparable values(Find(what.requests, name), Find(what.limits, name), enforced);
  const std::string begin =
      name + " max limit to request ratio per " + what.type + " is " + enforced.ToString();
  if (values.request == 0) return begin + ", but no request is specified or request is 0";
  if (values.limit == 0) return begin + ", but no limit is specified or limit is 0";
  const double ratio = static_cast<double>(values.limit) / static_cast<double>(values.request);
  if (ratio * 1000 <= static_cast<double>(enforced.MilliValue())) return {};
  std::array<char, 400> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), ratio,
                                          std::chars_format::fixed, kDigitsOfRatios);
  return begin + ", but provided ratio is " + std::string(text.data(), end);
}

using Check = std::string (*)(const Bounded& what, const std::string& name,
                              const Quantity& enforced);

// Collects what is wrong, each message once.
struct Problems {
  void Find(const Bounded& what, const json::Value& bounds, Check check) {
    for (const auto& [name, enforced] : ResourceListOf(bounds)) {
      std::string problem = check(what, name, enforced);
      if (problem.empty()) continue;
      if (std::find(all.begin(), all.end(), problem) == all.end()) {
        all.push_back(std::move(problem));
      }
    }
  }
  void FindAll(const json::Value& limit, const Bounded& what) {
    Find(what, limit["min"], CheckMin);
    Find(what, limit["max"], CheckMax);
    Find(what, limit["maxLimitRequestRatio"], CheckRatio);
  }
  [[nodiscard]] std::string Text() const {
    if (all.size() == 1) return all.front();
    std::string text = "[";
    for (const std::string& one : all) text += (text.size() == 1 ? "" : ", ") + one;
    return text + "]";
  }
  std::vector<std::string> all{};
};

void CheckPod(const json::Value& limit, const json::Value& spec, Problems& problems) {
  const std::string& type = limit["type"].StringOrEmpty();
  if (type == "Pod") {
    const ResourceList requests = ResourcesOfPod(spec, "requests", /*with_overhead=*/false);
    const ResourceList limits = ResourcesOfPod(spec, "limits", /*with_overhead=*/false);
    problems.FindAll(limit, {.type = type, .requests = requests, .limits = limits});
  }
  if (type != "Container") return;
  for (const char* list : {"containers", "initContainers"}) {
    for (const json::Value& container : spec[list].items()) {
      const ResourceList requests = ResourceListOf(container["resources"]["requests"]);
      const ResourceList limits = ResourceListOf(container["resources"]["limits"]);
      problems.FindAll(limit, {.type = type, .requests = requests, .limits = limits});
    }
  }
}

void CheckClaim(const json::Value& limit, const json::Value& spec, Problems& problems) {
  const std::string& type = limit["type"].StringOrEmpty();
  if (type != "PersistentVolumeClaim") return;
  const ResourceList requests = ResourceListOf(spec["resources"]["requests"]);
  const ResourceList none;
  const Bounded what{.type = type, .requests = requests, .limits = none};
  problems.Find(what, limit["min"], CheckMin);
  problems.Find(what, limit["max"], CheckMaxRequest);
}

}  // namespace

Result<void> LimitRanger::Mutate(PluginRequest& request) {
  if (!request.IsOf("", "pods")) return {};
  for (const json::Value& range : LimitRangesOf(state_, request.namespace_)) {
    FillIn(DefaultsOf(range), request.object);
  }
  return {};
}

Result<void> LimitRanger::Validate(const PluginRequest& request) {
  // A pod's containers never change, except for their resources.
  const bool pod = (request.IsOf("", "pods") && request.creates) ||
                   (request.resource.Is("", "pods") && request.subresource == "resize");
  if (!pod && !request.IsOf("", "persistentvolumeclaims")) return {};
  if (!request.old.At("/metadata/deletionTimestamp").is_null()) return {};
  const json::Value& spec = std::as_const(request.object)["spec"];
  for (const json::Value& range : LimitRangesOf(state_, request.namespace_)) {
    Problems problems;
    for (const json::Value& limit : range.At("/spec/limits").items()) {
      if (pod) {
        CheckPod(limit, spec, problems);
      } else {
        CheckClaim(limit, spec, problems);
      }
    }
    if (!problems.all.empty()) return request.Forbidden(problems.Text());
  }
  return {};
}

}  // namespace kinformer::apiserver
