#include "apiserver/audit/audit_record.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "kinformer/json/yaml.h"
#include "kinformer/object/time.h"

#include "apiserver/audit/audited_status.h"
#include "apiserver/write/request/request_body.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view LevelName(AuditLevel level) {
  switch (level) {
    case AuditLevel::kRequestResponse:
      return "RequestResponse";
    case AuditLevel::kRequest:
      return "Request";
    case AuditLevel::kMetadata:
      return "Metadata";
    case AuditLevel::kNone:
      break;
  }
  return "None";
}

std::string TimeText(WallTime time) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds);
  return metav1::MicroTime(metav1::Time(seconds.count(), static_cast<std::int32_t>(nanos.count())))
      .ToString();
}

json::Value TextList(const std::vector<std::string>& texts) {
  json::Value list = json::Value::MakeArray();
  for (const std::string& text : texts) list.Append(text);
  return list;
}

// Returns the object of the request. `sent`: as SentObject returns it.
json::Value ObjectRef(const AuditRecord& record, const json::Value& sent) {
  const RequestInfo& info = record.info;
  json::Value ref = json::Value::MakeObject();
  const auto add = [&ref](const char* name, std::string_view value) {
    if (!value.empty()) ref.Set(name, value);
  };
  const bool whole = info.verb == Verb::kCreate || info.verb == Verb::kUpdate;
  static const json::Value none;
  const json::Value& metadata = whole ? sent["metadata"] : none;
  const auto either = [&](const std::string& first, const char* name) -> std::string_view {
    return first.empty() ? std::string_view(metadata[name].StringOrEmpty()) : first;
  };
  add("resource", info.resource);
  add("namespace", either(info.namespace_, "namespace"));
  add("name", either(info.name, "name"));
  add("uid", metadata["uid"].StringOrEmpty());
  add("apiGroup", info.group);
  add("apiVersion", info.version);
  add("resourceVersion", metadata["resourceVersion"].StringOrEmpty());
  add("subresource", info.subresource);
  return ref;
}

void DropManagedFields(json::Value& object) {
  if (object["metadata"].is_object()) object.Ensure("metadata").Erase("managedFields");
  for (const char* const list : {"items", "rows"}) {
    if (!std::as_const(object)[list].is_array()) continue;
    for (json::Value& item : object.Ensure(list).EnsureArray()) {
      json::Value& inner = std::string_view(list) == "rows" ? item.Ensure("object") : item;
      if (std::as_const(inner)["metadata"].is_object()) {
        inner.Ensure("metadata").Erase("managedFields");
      }
    }
  }
}

// Returns the members of all stages.
json::Value EventOf(const AuditRecord& record, std::string_view stage, const json::Value& sent) {
  json::Value event = json::Value::MakeObject({{"kind", "Event"},
                                               {"apiVersion", "audit.k8s.io/v1"},
                                               {"level", LevelName(record.level)},
                                               {"auditID", record.id},
                                               {"stage", stage},
                                               {"requestURI", record.uri},
                                               {"verb", record.verb}});
  event.Set("user", record.user == nullptr ? json::Value::MakeObject() : ToJson(*record.user));
  if (record.trail->impersonated != nullptr) {
    event.Set("impersonatedUser", ToJson(*record.trail->impersonated));
  }
  if (!record.source_ips.empty()) event.Set("sourceIPs", TextList(record.source_ips));
  if (!record.user_agent.empty()) event.Set("userAgent", record.user_agent);
  if (record.info.is_resource_request) event.Set("objectRef", ObjectRef(record, sent));
  return event;
}

std::string Finish(const AuditRecord& record, json::Value event, WallTime now) {
  event.Set("requestReceivedTimestamp", TimeText(record.received));
  event.Set("stageTimestamp", TimeText(now));
  if (!record.trail->annotations().empty()) {
    json::Value annotations = json::Value::MakeObject();
    for (const auto& [key, value] : record.trail->annotations()) annotations.Set(key, value);
    event.Set("annotations", std::move(annotations));
  }
  return event.Dump();
}

}  // namespace

json::Value SentObject(const AuditRecord& record) {
  if (record.body.empty() || !record.trail->served) return {};
  if (record.info.verb != Verb::kPatch) {
    return DecodeBody(record.content_type, record.body).value_or(json::Value());
  }
  if (Result<json::Value> patch = json::Parse(record.body); patch.ok()) return *std::move(patch);
  return yaml::Parse(record.body).value_or(json::Value());
}

std::string ReceivedEvent(const AuditRecord& record) {
  return Finish(record, EventOf(record, "RequestReceived", {}), record.received);
}

std::string StartedEvent(const AuditRecord& record, WallTime now, int code) {
  json::Value event = EventOf(record, "ResponseStarted", {});
  event.Set("responseStatus",
            json::Value::MakeObject({{"metadata", json::Value::MakeObject()}, {"code", code}}));
  return Finish(record, std::move(event), now);
}

std::string CompleteEvent(const AuditRecord& record, WallTime now, const AuditAnswer& answer) {
  json::Value sent = SentObject(record);
  json::Value event =
      EventOf(record, record.user == nullptr ? "ResponseStarted" : "ResponseComplete", sent);
  json::Value answered = AuditedBody(answer.content_type, answer.body);
  event.Set("responseStatus", AuditedStatus(answer.code, answered));
  if (record.HasObjects(AuditLevel::kRequest) && !sent.is_null()) {
    if (record.omit_managed_fields) DropManagedFields(sent);
    event.Set("requestObject", std::move(sent));
  }
  if (record.HasObjects(AuditLevel::kRequestResponse) && !record.goes_on && !answered.is_null()) {
    if (record.omit_managed_fields) DropManagedFields(answered);
    event.Set("responseObject", std::move(answered));
  }
  return Finish(record, std::move(event), now);
}

}  // namespace kinformer::apiserver
