#include "cel/to_json.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cel/functions.h"
#include "object/values/text_forms.h"

namespace kinformer::internal::cel {
namespace {

Error Unmarshalable(ValueKind kind) {
  return {Reason::kInvalidArgument, "cannot convert " + std::string(KindName(kind)) + " to JSON"};
}

// Subtracts the size of one value, without its parts. Returns false if there is nothing left.
bool Take(const Value& value, std::size_t& bytes) {
  std::size_t size = sizeof(json::Value) + 32;
  if (value.is(ValueKind::kString) || value.is(ValueKind::kBytes)) size += 2 * value.text().size();
  const bool enough = size <= bytes;
  bytes -= std::min(size, bytes);
  return enough;
}

Result<json::Value> ListToJson(const Value& list, std::size_t& bytes) {
  json::Value out = json::Value::MakeArray();
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<json::Value> item = ToJson(list.item(i), bytes);
    if (!item.ok()) return item;
    out.Append(*std::move(item));
  }
  return out;
}

Result<json::Value> MapToJson(const Value& map, std::size_t& bytes) {
  json::Value out = json::Value::MakeObject();
  for (std::size_t i = 0; i < map.size(); ++i) {
    const Value key = map.key(i);
    if (!key.is(ValueKind::kString)) {
      return Error(Reason::kInvalidArgument,
                   "map key is of type " + std::string(KindName(key.kind())) + ", not string");
    }
    Result<json::Value> value = ToJson(map.value(i), bytes);
    if (!value.ok()) return value;
    out.Set(key.text(), *std::move(value));
  }
  return out;
}

}  // namespace

Result<json::Value> ToJson(const Value& value, std::size_t& bytes) {
  if (!Take(value, bytes)) return Error(Reason::kOverLimit, "the value is too large");
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
      return ListToJson(value, bytes);
    case ValueKind::kMap:
      return MapToJson(value, bytes);
    case ValueKind::kError:
      return Error(Reason::kInvalidArgument, std::string(value.text()));
    default:
      return Unmarshalable(value.kind());
  }
}

}  // namespace kinformer::internal::cel
