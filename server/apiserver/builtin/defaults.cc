#include "apiserver/builtin/defaults.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "apiserver/builtin/defaults_scalars.h"
#include "apiserver/builtin/fill_in.h"
#include "object/transcode/transcode.h"

namespace kinformer::apiserver {
namespace {

bool FitsMessage(const MessagePlan& plan, const json::Value& object, bool root);

bool FitsOne(const FieldPlan& plan, const json::Value& value) {
  if (value.is_null()) return true;
  if (plan.field->kind == internal::FieldKind::kJsonUnion) return false;  // checked elsewhere
  if (plan.child != nullptr) return FitsMessage(*plan.child, value, /*root=*/false);
  return FitsScalar(*plan.field, value);
}

bool FitsField(const FieldPlan& plan, const json::Value& value) {
  if (plan.field->repeated) {
    const json::Array* items = value.IfArray();
    return items != nullptr && std::all_of(items->begin(), items->end(),
                                           [&](const auto& item) { return FitsOne(plan, item); });
  }
  if (plan.field->map) {
    const json::Object* entries = value.IfObject();
    return entries != nullptr &&
           std::all_of(entries->begin(), entries->end(), [&](const json::Object::Member& entry) {
             return FitsOne(plan, entry.second);
           });
  }
  return FitsOne(plan, value);
}

bool FitsMessage(const MessagePlan& plan, const json::Value& object, bool root) {
  const json::Object* members = object.IfObject();
  if (members == nullptr) return false;
  std::size_t next = 0;
  for (const auto& [name, value] : *members) {
    const std::size_t at = plan.FindNext(name, next);
    if (at == MessagePlan::kNone) {
      const bool type_meta = root || plan.message->type_meta;
      if (!type_meta || (name != "kind" && name != "apiVersion")) return false;
    } else if (!value.is_null() && !FitsField(plan.fields[at], value)) {
      return false;
    }
  }
  return true;
}

Error TooMuchIsAdded() {
  return Error(Reason::kRequestEntityTooLarge,
               "Request entity too large: the defaults of its kind would add more than " +
                   std::to_string(Added::kMost) + " bytes: leave out some of its items")
      .WithHttpStatus(413);
}

}  // namespace

bool Defaults::Fits(const internal::MessageDescriptor& message, std::string_view kind,
                    const json::Value& object) {
  return FitsMessage(plans_.For(message, kind), object, /*root=*/true);
}

Result<void> Defaults::Apply(const internal::MessageDescriptor& message, std::string_view kind,
                             json::Value& object) {
  const MessagePlan& plan = plans_.For(message, kind);
  Added added;
  const bool usual = FillIn(plan, object, added);
  if (added.full()) return TooMuchIsAdded();
  if (usual) return {};
  // Something is wrong or unusual: the conversion to protobuf tells the error or the right form.
  const auto bytes = internal::JsonToProtobuf(message, object.Dump());
  if (!bytes) return bytes.error();
  const json::Value& sent = object;
  const std::string head =
      internal::TypeMetaJson(sent["kind"].StringOrEmpty(), sent["apiVersion"].StringOrEmpty());
  std::string text;
  if (auto written = internal::ProtobufToJson(message, *bytes, text, head); !written) {
    return written.error();
  }
  Result<json::Value> parsed = json::Parse(text);
  if (!parsed) return parsed.error();
  object = *std::move(parsed);
  added = {};
  (void)FillIn(plan, object, added);
  if (added.full()) return TooMuchIsAdded();
  return {};
}

}  // namespace kinformer::apiserver
