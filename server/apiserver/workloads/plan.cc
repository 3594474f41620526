#include "apiserver/workloads/plan.h"

#include <algorithm>
#include <utility>

#include "apiserver/registry/object_rules.h"
#include "apiserver/workloads/object_parts.h"

namespace kinformer::apiserver::workloads {

void Plan::Create(Kind kind, json::Value object) {
  writes_.push_back({.verb = Verb::kCreate, .kind = kind, .object = std::move(object)});
}

bool Plan::CreateFor(Kind owner_kind, const json::Value& owner, std::string_view component,
                     Kind kind, json::Value object, std::string message) {
  if (!scene_.refusal.empty()) return false;
  Create(kind, std::move(object));
  Remember();
  Event(owner_kind, owner, component, "SuccessfulCreate", std::move(message));
  IfRefused("FailedCreate", "Error creating: ");
  return true;
}

bool Plan::DeleteFor(Kind owner_kind, const json::Value& owner, std::string_view component,
                     Kind kind, const json::Value& object, std::string message) {
  if (!scene_.delete_refusal.empty()) return false;
  Delete(kind, object);
  Remember();
  Event(owner_kind, owner, component, "SuccessfulDelete", std::move(message));
  IfRefused("FailedDelete", "Error deleting: ");
  return true;
}

void Plan::IfRefused(std::string reason, std::string text) {
  writes_.back().if_refused = RefusalText{.reason = std::move(reason), .text = std::move(text)};
}

void Plan::EventIfRefused(Kind kind, const json::Value& about, std::string_view component,
                          std::string reason, std::string text) {
  if (!scene_.reviewed) return;
  // It gets the end of its name when it is written.
  Tell(kind, about, component, reason, {}, /*warning=*/true, {});
  IfRefused(std::move(reason), std::move(text));
  writes_.back().only_if_refused = true;
}

void Plan::Update(Kind kind, json::Value object) {
  writes_.push_back({.verb = Verb::kUpdate, .kind = kind, .object = std::move(object)});
}

void Plan::UpdateScale(Kind kind, json::Value object) {
  Update(kind, std::move(object));
  writes_.back().through = Through::kScale;
}

void Plan::Bind(json::Value pod) {
  Update(Kind::kPod, std::move(pod));
  writes_.back().through = Through::kBinding;
}

bool Plan::UpdateStatus(Kind kind, const json::Value& old, json::Value status) {
  if (old["status"] == status) return false;
  json::Value object = old;
  object.Set("status", std::move(status));
  writes_.push_back({.verb = Verb::kUpdateStatus, .kind = kind, .object = std::move(object)});
  return true;
}

void Plan::Delete(Kind kind, const json::Value& object, std::optional<std::int64_t> grace,
                  std::string_view propagation) {
  json::Value named = json::Value::MakeObject(
      {{"metadata", json::Value::MakeObject({{"name", NameOf(object)}, {"uid", UidOf(object)}})}});
  if (!NamespaceOf(object).empty()) named.Ensure("metadata", "namespace") = NamespaceOf(object);
  writes_.push_back({.verb = Verb::kDelete,
                     .kind = kind,
                     .object = std::move(named),
                     .grace = grace,
                     .propagation = std::string(propagation)});
}

void Plan::Event(Kind kind, const json::Value& about, std::string_view component,
                 std::string_view reason, std::string message, bool warning) {
  Tell(kind, about, component, reason, std::move(message), warning, scene_.dice.Letters(16));
}

void Plan::Tell(Kind kind, const json::Value& about, std::string_view component,
                std::string_view reason, std::string message, bool warning,
                const std::string& suffix) {
  const KindNames& names = NamesOf(kind);
  const std::string version =
      (names.group.empty() ? "" : std::string(names.group) + "/") + std::string(names.version);
  const std::string namespace_ = NamespaceOf(about).empty() ? "default" : NamespaceOf(about);
  const std::string time = FormatTime(scene_.now);
  json::Value involved = json::Value::MakeObject({{"apiVersion", version},
                                                  {"kind", names.kind},
                                                  {"name", NameOf(about)},
                                                  {"uid", UidOf(about)}});
  if (!NamespaceOf(about).empty()) involved.Set("namespace", NamespaceOf(about));
  Create(Kind::kEvent,
         json::Value::MakeObject(
             {{"metadata", json::Value::MakeObject({{"name", NameOf(about) + "." + suffix},
                                                    {"namespace", namespace_}})},
              {"involvedObject", std::move(involved)},
              {"reason", reason},
              {"message", std::move(message)},
              {"type", warning ? "Warning" : "Normal"},
              {"source", json::Value::MakeObject({{"component", component}})},
              {"reportingComponent", component},
              {"firstTimestamp", time},
              {"lastTimestamp", time},
              {"count", 1}}));
}

void Plan::Again(Duration delay) {
  const Duration least = std::max(delay, Duration::zero());
  again_ = again_ ? std::min(*again_, least) : least;
}

}  // namespace kinformer::apiserver::workloads
