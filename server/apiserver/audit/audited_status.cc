#include "apiserver/audit/audited_status.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/errors/protobuf_envelope.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/write/request/request_body.h"

namespace kinformer::apiserver {
namespace {

json::Value CauseOf(std::string_view message) {
  json::Value cause = json::Value::MakeObject();
  constexpr const char* kNames[] = {"reason", "message", "field"};
  for (const WireField& field : ReadFields(message).value_or(std::vector<WireField>())) {
    if (field.number >= 1 && field.number <= 3) cause.Set(kNames[field.number - 1], field.bytes);
  }
  return cause;
}

json::Value DetailsOf(std::string_view message) {
  json::Value details = json::Value::MakeObject();
  for (const WireField& field : ReadFields(message).value_or(std::vector<WireField>())) {
    switch (field.number) {
      case 1:
        if (!field.bytes.empty()) details.Set("name", field.bytes);
        break;
      case 2:
        if (!field.bytes.empty()) details.Set("group", field.bytes);
        break;
      case 3:
        if (!field.bytes.empty()) details.Set("kind", field.bytes);
        break;
      case 4:
        details.Ensure("causes").Append(CauseOf(field.bytes));
        break;
      case 5:
        if (field.varint != 0) {
          details.Set("retryAfterSeconds", static_cast<std::int64_t>(field.varint));
        }
        break;
      case 6:
        if (!field.bytes.empty()) details.Set("uid", field.bytes);
        break;
      default:
        break;
    }
  }
  return details;
}

// Reads a Status, which is no kind of the registry.
json::Value StatusOf(std::string_view message) {
  json::Value status = json::Value::MakeObject(
      {{"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", json::Value::MakeObject()}});
  constexpr const char* kNames[] = {"status", "message", "reason"};
  for (const WireField& field : ReadFields(message).value_or(std::vector<WireField>())) {
    if (field.number >= 2 && field.number <= 4 && !field.bytes.empty()) {
      status.Set(kNames[field.number - 2], field.bytes);
    }
    if (field.number == 5) status.Set("details", DetailsOf(field.bytes));
    if (field.number == 6) status.Set("code", static_cast<std::int64_t>(field.varint));
  }
  return status;
}

}  // namespace

json::Value AuditedBody(std::string_view content_type, std::string_view body) {
  if (body.empty()) return {};
  if (IsMediaType(content_type, "application/vnd.kubernetes.protobuf")) {
    const auto envelope = ParseEnvelope(body);
    if (envelope && envelope->kind == "Status") return StatusOf(envelope->raw);
  } else if (!IsMediaType(content_type, "application/json") &&
             !IsMediaType(content_type, "application/yaml")) {
    return {};
  }
  Result<json::Value> object = DecodeBody(content_type, body);
  return object.ok() && object->is_object() ? *std::move(object) : json::Value();
}

json::Value AuditedStatus(int code, const json::Value& body) {
  json::Value status = json::Value::MakeObject({{"metadata", json::Value::MakeObject()}});
  if (code == 0) {
    status.Set("status", "Success");
    status.Set("message", "Connection closed early");
    status.Set("code", 200);
    return status;
  }
  if (body["kind"].StringOrEmpty() == "Status") {
    for (const char* const name : {"status", "message", "reason", "details"}) {
      if (!body[name].is_null()) status.Set(name, body[name]);
    }
  }
  status.Set("code", code);
  return status;
}

}  // namespace kinformer::apiserver
