// JSON to protobuf and back.

#include <string>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"
#include "kinformer/object/kind_info.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "object/transcode/protobuf_to_value.h"
#include "object/transcode/transcode.h"

namespace kinformer::fuzz {

namespace {

std::string_view MessageOf(const Result<std::string>& result) {
  return result.ok() ? std::string_view() : std::string_view(result.error().message());
}

// Returns the JSON of a message that was made from JSON, which must have a JSON form.
std::string JsonOf(const KindInfo& type, std::string_view message) {
  std::string json;
  const Result<void> written = internal::ProtobufToJson(
      *type.message, message, json, internal::TypeMetaJson(type.kind, type.apiVersion()));
  Require(written.ok(), "what was made of JSON has a JSON form",
          written.ok() ? std::string_view() : written.error().message());
  return json;
}

}  // namespace

void FuzzJsonToProtobuf(std::string_view input) {
  Choices choices(input);
  const KindInfo& type = PickType(choices.Byte());
  internal::FieldProblems problems;
  const Result<std::string> message =
      internal::JsonToProtobuf(*type.message, choices.rest(), &problems);
  if (!message) {
    Require(!message.error().message().empty(), "an error says something");
    return;
  }
  const std::string json = JsonOf(type, *message);
  Require(!IsUtf8(json) || json::Parse(json, {.max_depth = 600}).ok(), "the JSON form is JSON",
          json);
  internal::FieldProblems none;
  const Result<std::string> again = internal::JsonToProtobuf(*type.message, json, &none);
  Require(again.ok(), "the JSON form is taken", MessageOf(again), json);
  const std::string rewritten = JsonOf(type, *again);
  if (IsUtf8(choices.rest())) RequireEqual(rewritten, json, "JSON and back gives the same JSON");
  // Embedded objects are stored as they came, and written as compact JSON.
  const Result<std::string> compact = internal::JsonToProtobuf(*type.message, rewritten);
  Require(compact.ok(), "the JSON form is taken", MessageOf(compact), rewritten);
  RequireEqual(*compact, *again, "JSON and back gives the same message");
  Require(none.unknown.empty() && none.duplicate.empty(), "the JSON form is of the schema", json);
}

void FuzzProtobufToJson(std::string_view input) {
  Choices choices(input);
  const KindInfo& type = PickType(choices.Byte());
  std::string json = "kept";
  const Result<void> written = internal::ProtobufToJson(
      *type.message, choices.rest(), json, internal::TypeMetaJson(type.kind, type.apiVersion()));
  if (!written) {
    RequireEqual(json, "kept", "after an error the text is as it was");
    return;
  }
  json.erase(0, 4);
  Require(!IsUtf8(json) || json::Parse(json, {.max_depth = 600}).ok(), "the JSON form is JSON",
          json);
  const Result<json::Value> parsed = json::Parse(json);
  const Result<json::Value> direct =
      internal::ProtobufToValue(*type.message, choices.rest(), type.kind, type.apiVersion());
  Require(parsed.ok() == direct.ok(), "a document comes of what has JSON that can be read", json);
  if (parsed) RequireEqual(direct->Dump(), parsed->Dump(), "both ways give the same document");
  const Result<std::string> message = internal::JsonToProtobuf(*type.message, json);
  // In protobuf a quantity is a text, and any text is accepted.
  if (!message && message.error().message().find("is no quantity") != std::string::npos) return;
  Require(message.ok(), "the JSON form is taken", MessageOf(message), json);
  // Invalid UTF-8 is written as an escape the first time, and as the escaped character after that,
  // so the text is stable from the second conversion on.
  const std::string again = JsonOf(type, *message);
  if (IsUtf8(choices.rest())) RequireEqual(again, json, "protobuf and back gives the same JSON");
  const Result<std::string> settled = internal::JsonToProtobuf(*type.message, again);
  Require(settled.ok(), "the JSON form is taken", MessageOf(settled), again);
  RequireEqual(JsonOf(type, *settled), again, "protobuf and back settles");
}

}  // namespace kinformer::fuzz
