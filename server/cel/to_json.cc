#include "cel/to_json.h"

#include <string>
#include <utility>

#include "cel/functions.h"
#include "object/values/text_forms.h"

namespace kinformer::internal::cel {
namespace {

Error Unmarshalable(ValueKind kind) {
  return {Reason::kInvalidArgument, "cannot convert " + std::string(KindName(kind)) + " to JSON"};
}

Result<json::Value> ListToJson(const Value& list) {
  json::Value out = json::Value::MakeArray();
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<json::Value> item = ToJson(list.item(i));
    if (!item.ok()) return item;
    out.Append(*std::move(item));
  }
  return out;
}

Result<json::Value> MapToJson(const Value& map) {
  json::Value out = json::Value::MakeObject();
  for (std::size_t i = 0; i < map.size(); ++i) {
    const Value key = map.key(i);
    if (!key.is(ValueKind::kString)) {
      return Error(Reason::kInvalidArgument,
                   "map key is of type " + std::string(KindName(key.kind())) + ", not string");
    }
    Result<json::Value> value = ToJson(map.value(i));
    if (!value.ok()) return value;
    out.Set(key.text(), *std::move(value));
  }
  return out;
}

}  // namespace

Result<json::Value> ToJson(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return json::Value();
    case ValueKind::kBool:
      return json::Value(value.is_true());
    case ValueKind::kInt:
      return json::Value(value.integer());
    case ValueKind::kUint:
      return json::Value(value.unsigned_integer());
    case ValueKind::kDouble:
      return json::Value(value.number());
    case ValueKind::kString:
      return json::Value(value.text());
    case ValueKind::kBytes: {
      std::string text;
      AppendBase64(value.text(), text);
      return json::Value(std::move(text));
    }
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
      return json::Value(TextOf(value).text());
    case ValueKind::kList:
      return ListToJson(value);
    case ValueKind::kMap:
      return MapToJson(value);
    case ValueKind::kError:
      return Error(Reason::kInvalidArgument, std::string(value.text()));
    default:
      return Unmarshalable(value.kind());
  }
}

}  // namespace kinformer::internal::cel
