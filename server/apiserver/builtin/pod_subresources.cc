#include "apiserver/builtin/pod_subresources.h"

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "kinformer/object/quantity.h"

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

constexpr auto kContainerLists = std::to_array<std::string_view>({"containers", "initContainers"});
constexpr auto kResizable = std::to_array<std::string_view>({"cpu", "memory"});

// Fields that ephemeral containers must not have.
constexpr auto kNotEphemeral = std::to_array<std::string_view>(
    {"ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules", "livenessProbe",
     "readinessProbe", "startupProbe", "lifecycle"});

const json::Value& Named(const json::Value& containers, std::string_view name) {
  static const json::Value kNone;
  for (const json::Value& container : containers.items()) {
    if (container["name"].StringOrEmpty() == name) return container;
  }
  return kNone;
}

void ValidateEphemeralContainer(const std::string& field, const json::Value& container,
                                const json::Value& spec, std::set<std::string>& names,
                                std::vector<StatusCause>& causes) {
  const std::string& name = container["name"].StringOrEmpty();
  if (name.empty()) {
    causes.push_back(Required(field + ".name"));
  } else if (!names.insert(name).second) {
    causes.push_back({.reason = "FieldValueDuplicate",
                      .message = "Duplicate value: " + JsonString(name),
                      .field = field + ".name"});
  }
  if (container["image"].StringOrEmpty().empty()) causes.push_back(Required(field + ".image"));
  if (const std::string& target = container["targetContainerName"].StringOrEmpty();
      !target.empty() && Named(spec["containers"], target).is_null() &&
      Named(spec["initContainers"], target).is_null()) {
    causes.push_back({.reason = "FieldValueNotFound",
                      .message = "Not found: " + JsonString(target),
                      .field = field + ".targetContainerName"});
  }
  for (const std::string_view member : kNotEphemeral) {
    const json::Value& value = container[member];
    const bool set = value.is_string() ? !value.StringOrEmpty().empty() : value.size() > 0;
    if (!set) continue;
    causes.push_back(ForbiddenField(field + "." + std::string(member),
                                    "cannot be set for an Ephemeral Container"));
  }
}

// ---- resize

bool IsSome(const json::Value& amount) {
  const auto quantity = resource::Quantity::Parse(amount.StringOrEmpty());
  return quantity && !quantity->IsZero();
}

bool Exceeds(const json::Value& request, const json::Value& limit) {
  const auto asked = resource::Quantity::Parse(request.StringOrEmpty());
  const auto most = resource::Quantity::Parse(limit.StringOrEmpty());
  return asked && most && *asked > *most;
}

// Removes CPU and memory from a container's resources.
void EraseResizable(json::Value& container) {
  for (const char* kind : {"requests", "limits"}) {
    json::Value* resources = container.Find("resources");
    json::Value* amounts = resources != nullptr ? resources->Find(kind) : nullptr;
    if (amounts == nullptr) continue;
    for (const std::string_view name : kResizable) amounts->Erase(name);
    if (amounts->size() == 0) container.Ensure("resources").Erase(kind);
  }
}

json::Value WithoutResizable(const json::Value& spec) {
  json::Value rest = spec;
  for (const std::string_view list : kContainerLists) {
    json::Value* containers = rest.Find(list);
    if (containers == nullptr) continue;
    for (json::Value& container : containers->EnsureArray()) EraseResizable(container);
  }
  return rest;
}

void ValidateAmounts(const std::string& field, const json::Value& old, const json::Value& resources,
                     std::vector<StatusCause>& causes) {
  for (const char* kind : {"limits", "requests"}) {
    bool removed = false;
    for (const std::string_view name : kResizable) {
      removed = removed || (old[kind].contains(name) && !resources[kind].contains(name));
    }
    if (!removed) continue;
    causes.push_back(
        ForbiddenField(field + "." + kind, std::string("resource ") + kind + " cannot be removed"));
  }
  for (const std::string_view name : kResizable) {
    const json::Value& request = resources["requests"][name];
    const json::Value& limit = resources["limits"][name];
    if (!Exceeds(request, limit)) continue;
    causes.push_back(InvalidValue(field + ".requests", request.Dump(),
                                  "must be less than or equal to " + std::string(name) +
                                      " limit of " + limit.StringOrEmpty()));
  }
}

}  // namespace

json::Value MergeEphemeralContainers(const json::Value& old, const json::Value& sent) {
  json::Value merged = old;
  if (const json::Value& containers = sent.At("/spec/ephemeralContainers"); containers.size() > 0) {
    merged.Ensure("spec").Set("ephemeralContainers", containers);
  } else {
    merged.Ensure("spec").Erase("ephemeralContainers");
  }
  return merged;
}

std::vector<StatusCause> ValidateEphemeralContainers(const json::Value& old,
                                                     const json::Value& pod) {
  std::vector<StatusCause> causes;
  const json::Value& spec = pod["spec"];
  std::set<std::string> names;
  for (const std::string_view list : kContainerLists) {
    for (const json::Value& container : spec[list].items()) {
      names.insert(container["name"].StringOrEmpty());
    }
  }
  const json::Value& containers = spec["ephemeralContainers"];
  for (std::size_t i = 0; i < containers.size(); ++i) {
    ValidateEphemeralContainer("spec.ephemeralContainers[" + std::to_string(i) + "]", containers[i],
                               spec, names, causes);
  }
  for (const json::Value& before : old.At("/spec/ephemeralContainers").items()) {
    const json::Value& after = Named(containers, before["name"].StringOrEmpty());
    if (after == before) continue;
    causes.push_back(
        ForbiddenField("spec.ephemeralContainers",
                       "existing ephemeral containers " + before["name"].Dump() +
                           (after.is_null() ? " may not be removed\n" : " may not be changed\n")));
  }
  return causes;
}

json::Value MergeResize(const json::Value& old, const json::Value& sent) {
  json::Value merged = old;
  for (const std::string_view list : kContainerLists) {
    const json::Value& wanted = sent["spec"][list];
    json::Value* containers = merged.Ensure("spec").Find(list);
    if (containers == nullptr || containers->size() != wanted.size()) {
      // ValidateResize refuses this.
      if (wanted.size() > 0) merged.Ensure("spec").Set(list, wanted);
      continue;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      for (const char* member : {"resources", "resizePolicy"}) {
        json::Value& container = containers->EnsureArray()[i];
        if (const json::Value* value = wanted[i].Find(member)) {
          container.Set(member, *value);
        } else {
          container.Erase(member);
        }
      }
    }
  }
  return merged;
}

std::vector<StatusCause> ValidateResize(const json::Value& old, const json::Value& pod) {
  std::vector<StatusCause> causes;
  const json::Value& before = old["spec"];
  const json::Value& after = pod["spec"];
  for (const std::string_view list : kContainerLists) {
    if (before[list].size() == after[list].size()) continue;
    causes.push_back(ForbiddenField("spec." + std::string(list),
                                    std::string(list) + " may not be added or removed on resize"));
  }
  if (!causes.empty()) return causes;
  for (const std::string_view list : kContainerLists) {
    for (std::size_t i = 0; i < after[list].size(); ++i) {
      ValidateAmounts("spec." + std::string(list) + "[" + std::to_string(i) + "].resources",
                      before[list][i]["resources"], after[list][i]["resources"], causes);
    }
  }
  if (!causes.empty()) return causes;
  if (const std::string_view qos = QosClassOf(before); qos != QosClassOf(after)) {
    causes.push_back(InvalidValue("spec", JsonString(qos),
                                  "Pod QOS Class may not change as a result of resizing"));
  } else if (!(WithoutResizable(before) == WithoutResizable(after))) {
    causes.push_back(ForbiddenField("spec", "only cpu and memory resources are mutable"));
  }
  return causes;
}

std::string_view QosClassOf(const json::Value& spec) {
  bool any = false;
  bool guaranteed = true;
  const auto look = [&](const json::Value& resources) {
    for (const std::string_view name : kResizable) {
      const json::Value& request = resources["requests"][name];
      const json::Value& limit = resources["limits"][name];
      any = any || IsSome(request) || IsSome(limit);
      guaranteed = guaranteed && IsSome(limit) && (request.is_null() || request == limit);
    }
  };
  const json::Value& whole = spec["resources"];
  if (whole["requests"].size() > 0 || whole["limits"].size() > 0) {
    look(whole);
  } else {
    for (const std::string_view list : kContainerLists) {
      for (const json::Value& container : spec[list].items()) look(container["resources"]);
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace kinformer::apiserver
