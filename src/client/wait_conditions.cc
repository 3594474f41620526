#include "kinformer/client/wait_conditions.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace kinformer::wait {
namespace {

bool EqualFold(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// Returns a condition of an existing object's JSON.
ObjectCondition OfContent(std::string what, std::function<bool(const json::Value&)> holds) {
  return {std::move(what),
          [holds = std::move(holds)](const ObservedObject& observed) -> Result<bool> {
            return observed.exists() && holds(observed.json());
          }};
}

ObjectCondition OfPhase(std::string what, std::vector<std::string> phases) {
  return OfContent(std::move(what), [phases = std::move(phases)](const json::Value& object) {
    const std::string& phase = object["status"]["phase"].StringOrEmpty();
    return std::find(phases.begin(), phases.end(), phase) != phases.end();
  });
}

std::int64_t Generation(const json::Value& object) {
  return object["metadata"]["generation"].AsInt64().value_or(0);
}

bool HasStatusCondition(const json::Value& object, std::string_view type, std::string_view status) {
  for (const json::Value& condition : object["status"]["conditions"].items()) {
    if (!EqualFold(condition["type"].StringOrEmpty(), type)) continue;
    const json::Value* observed = condition.Find("observedGeneration");
    if (observed == nullptr) observed = object["status"].Find("observedGeneration");
    const auto generation = observed == nullptr ? std::nullopt : observed->AsInt64();
    if (generation && *generation < Generation(object)) return false;
    return EqualFold(condition["status"].StringOrEmpty(), status);
  }
  return false;
}

std::string Joined(const std::vector<ObjectCondition>& conditions, std::string_view word) {
  std::string text = "(";
  for (const ObjectCondition& condition : conditions) {
    if (text.size() > 1) text.append(" ").append(word).append(" ");
    text += condition.what();
  }
  return text + ")";
}

// Returns a condition with the result `deciding` if one of `conditions` has it.
ObjectCondition Combined(std::vector<ObjectCondition> conditions, std::string_view word,
                         bool deciding) {
  std::string what = conditions.size() == 1 ? conditions.front().what() : Joined(conditions, word);
  return {std::move(what),
          [conditions = std::move(conditions),
           deciding](const ObservedObject& observed) -> Result<bool> {
            for (const ObjectCondition& condition : conditions) {
              const Result<bool> holds = condition.Holds(observed);
              if (!holds.ok()) return holds.error();
              if (*holds == deciding) return deciding;
            }
            return !deciding;
          }};
}

ObjectCondition OfRollout(std::string what, std::string kind) {
  return {
      std::move(what), [kind = std::move(kind)](const ObservedObject& observed) -> Result<bool> {
        if (!observed.exists()) return false;
        const json::Value& object = observed.json();
        const std::string& found = object["kind"].StringOrEmpty();
        if (!kind.empty() && found != kind) {
          return Error(Reason::kInvalidArgument,
                       "the rollout of a " + kind + " was awaited, but the object is a " + found);
        }
        const Result<RolloutState> state = RolloutStateOf(object);
        if (!state) return state.error();
        return state->done;
      }};
}

}  // namespace

const json::Value& ObservedObject::json() const {
  if (!json_) {
    json_.emplace();
    if (object_) {
      Result<json::Value> value = json::Parse(object_->ToJson());
      if (value) json_ = *std::move(value);
    }
  }
  return *json_;
}

ObjectCondition AllOf(std::vector<ObjectCondition> conditions) {
  return Combined(std::move(conditions), "and", false);
}
ObjectCondition AnyOf(std::vector<ObjectCondition> conditions) {
  return Combined(std::move(conditions), "or", true);
}
ObjectCondition Not(ObjectCondition condition) {
  std::string what = "not " + condition.what();
  return {std::move(what),
          [condition = std::move(condition)](const ObservedObject& observed) -> Result<bool> {
            const Result<bool> holds = condition.Holds(observed);
            if (!holds.ok()) return holds.error();
            return !*holds;
          }};
}

namespace conditions {

ObjectCondition Exists() {
  return {"existence",
          [](const ObservedObject& observed) -> Result<bool> { return observed.exists(); }};
}

ObjectCondition Deleted(std::string uid) {
  std::string what = uid.empty() ? "deletion" : "deletion of uid " + uid;
  return {std::move(what), [uid = std::move(uid)](const ObservedObject& observed) -> Result<bool> {
            if (!observed.exists()) return true;
            return !uid.empty() && observed.object()->metadata().uid() != uid;
          }};
}

ObjectCondition StatusCondition(std::string type, std::string status) {
  std::string what = "condition " + type + "=" + status;
  return OfContent(std::move(what),
                   [type = std::move(type), status = std::move(status)](const json::Value& object) {
                     return HasStatusCondition(object, type, status);
                   });
}

ObjectCondition GenerationObserved() {
  return OfContent("observed generation", [](const json::Value& object) {
    const auto observed = object["status"]["observedGeneration"].AsInt64();
    return observed.has_value() && *observed >= Generation(object);
  });
}

ObjectCondition Field(std::string pointer, json::Value value) {
  std::string what = pointer + "=" + value.Dump();
  return OfContent(std::move(what), [pointer = std::move(pointer),
                                     value = std::move(value)](const json::Value& object) {
    const json::Value* found = object.FindPointer(pointer);
    return found != nullptr && *found == value;
  });
}

ObjectCondition FieldExists(std::string pointer) {
  std::string what = "a value at " + pointer;
  return OfContent(std::move(what), [pointer = std::move(pointer)](const json::Value& object) {
    return !object.At(pointer).is_null();
  });
}

ObjectCondition FieldWhere(std::string pointer,
                           std::function<bool(const json::Value& value)> holds) {
  std::string what = "the program's condition of " + pointer;
  return OfContent(std::move(what),
                   [pointer = std::move(pointer), holds = std::move(holds)](
                       const json::Value& object) { return holds(object.At(pointer)); });
}

ObjectCondition PodRunning() { return OfPhase("pod Running", {"Running"}); }
ObjectCondition PodReady() {
  return OfContent("pod Ready", [](const json::Value& object) {
    return HasStatusCondition(object, "Ready", "True");
  });
}
ObjectCondition PodCompleted() { return OfPhase("pod completed", {"Succeeded", "Failed"}); }
ObjectCondition JobComplete() {
  return OfContent("job Complete", [](const json::Value& object) {
    return HasStatusCondition(object, "Complete", "True");
  });
}
ObjectCondition JobFailed() {
  return OfContent("job Failed", [](const json::Value& object) {
    return HasStatusCondition(object, "Failed", "True");
  });
}
ObjectCondition CrdEstablished() {
  return OfContent("custom resource definition Established", [](const json::Value& object) {
    return HasStatusCondition(object, "Established", "True");
  });
}
ObjectCondition NamespaceActive() { return OfPhase("namespace Active", {"Active"}); }

ObjectCondition ServiceHasLoadBalancer() {
  return OfContent("address of a load balancer", [](const json::Value& object) {
    const json::Array& addresses = object["status"]["loadBalancer"]["ingress"].items();
    return std::any_of(addresses.begin(), addresses.end(), [](const json::Value& address) {
      return !address["ip"].StringOrEmpty().empty() || !address["hostname"].StringOrEmpty().empty();
    });
  });
}

ObjectCondition RolledOut() { return OfRollout("rollout", ""); }
ObjectCondition DeploymentRolledOut() { return OfRollout("rollout of a deployment", "Deployment"); }
ObjectCondition DaemonSetRolledOut() { return OfRollout("rollout of a daemon set", "DaemonSet"); }
ObjectCondition StatefulSetRolledOut() {
  return OfRollout("rollout of a stateful set", "StatefulSet");
}

}  // namespace conditions

}  // namespace kinformer::wait
