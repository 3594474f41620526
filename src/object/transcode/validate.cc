#include "object/transcode/validate.h"

#include <cstdint>
#include <string>
#include <utility>

#include "object/transcode/canonical.h"
#include "wire/json_text.h"
#include "wire/protobuf_reader.h"

namespace kinformer::internal {
namespace {

using wire::WireField;
using wire::WireType;

class Validator {
 public:
  Result<void> Message(const MessageDescriptor& message, std::string_view bytes) {
    if (++depth_ > kMaxMessageDepth) {
      return Error(Reason::kDecode,
                   "messages nest deeper than " + std::to_string(kMaxMessageDepth) + " levels");
    }
    const char* const end = bytes.data() + bytes.size();
    for (const char* at = bytes.data(); at != end;) {
      const char* const begin = at;
      WireField value;
      at = wire::ReadField(at, end, value);
      if (at == nullptr) return Bad("malformed protobuf field", bytes, begin);
      const FieldDescriptor* field = FindByNumber(message, value.number);
      if (field == nullptr) continue;
      const char* const wrong = Field(*field, value);
      if (wrong != nullptr) {
        return std::move(Error(Bad(wrong, bytes, begin)).WithContext(field->json_name));
      }
      // Field stores the error of a nested message here.
      if (!below_)
        return std::move(std::exchange(below_, {}).error()).WithContext(field->json_name);
    }
    --depth_;
    return {};
  }

 private:
  static Error Bad(const char* what, std::string_view message, const char* at) {
    return Error(Reason::kDecode, std::string(what) + " at byte " +
                                      std::to_string(at - message.data()) + " of " +
                                      std::to_string(message.size()));
  }

  // Returns the error of the field itself, or null.
  const char* Field(const FieldDescriptor& field, const WireField& value) {
    if (field.map) return Entry(field, value);
    if (value.type != WireTypeOf(field.kind)) {
      const bool packed = field.repeated && value.type == WireType::kBytes;
      return packed && IsPacked(WireTypeOf(field.kind), value) ? nullptr : "another wire type";
    }
    return Value(field, value);
  }

  const char* Entry(const FieldDescriptor& field, const WireField& entry) {
    if (entry.type != WireType::kBytes) return "another wire type";
    const char* const end = entry.data + entry.size;
    for (const char* at = entry.data; at != end;) {
      WireField part;
      at = wire::ReadField(at, end, part);
      if (at == nullptr) return "malformed map entry";
      if (part.number == 1) {
        if (part.type != WireType::kBytes) return "another wire type of a map's key";
        if (!IsUtf8(part.bytes())) return "a map's key that is not UTF-8";
      }
      if (part.number != 2) continue;
      if (part.type != WireTypeOf(field.kind)) return "another wire type of a map's value";
      if (const char* wrong = Value(field, part)) return wrong;
      if (!below_) return nullptr;  // Message returns the error
    }
    return nullptr;
  }

  const char* Value(const FieldDescriptor& field, const WireField& value) {
    switch (field.kind) {
      case FieldKind::kString:
        return IsUtf8(value.bytes()) ? nullptr : "a text that is not UTF-8";
      case FieldKind::kBool:
      case FieldKind::kInt32:
      case FieldKind::kInt64:
      case FieldKind::kDouble:
      case FieldKind::kBytes:
        return nullptr;
      default:
        break;
    }
    if (field.message != nullptr) {
      below_ = Message(*field.message, value.bytes());
      return nullptr;
    }
    // Time, Quantity and similar: small messages of scalars.
    const char* const end = value.data + value.size;
    for (const char* at = value.data; at != end;) {
      WireField part;
      at = wire::ReadField(at, end, part);
      if (at == nullptr) return "a malformed value";
      if (part.type == WireType::kBytes && field.kind != FieldKind::kRawJson &&
          !IsUtf8(part.bytes())) {
        return "a text that is not UTF-8";
      }
    }
    return nullptr;
  }

  static bool IsPacked(WireType type, const WireField& list) {
    if (type == WireType::kBytes) return false;
    const char* const end = list.data + list.size;
    for (const char* at = list.data; at != end;) {
      WireField value;
      at = wire::ReadPacked(at, end, type, value);
      if (at == nullptr) return false;
    }
    return true;
  }

  static bool IsUtf8(std::string_view text) {
    // Most texts are ASCII.
    return json::IsAscii(text) || json::FirstInvalidUtf8(text) == text.size();
  }

  int depth_ = 0;
  Result<void> below_{};
};

}  // namespace

Result<void> ValidateMessage(const MessageDescriptor& message, std::string_view bytes) {
  return Validator().Message(message, bytes);
}

Result<void> ValidateJson(const JsonTape& tape, std::string_view json) {
  if (const std::size_t bad = json::FirstInvalidUtf8(json); bad != json.size()) {
    return Error(Reason::kDecode, "JSON: not UTF-8 at byte " + std::to_string(bad));
  }
  std::string scratch;
  for (std::uint32_t node = 0; node + 1 < tape[0].next; ++node) {
    if (tape[node].type != JsonType::kString || tape.String(node, scratch) != "fieldsV1") continue;
    // The tape's parser leaves only objects unparsed; other values were checked by it.
    if (tape[node + 1].type != JsonType::kObject) continue;
    const Result<JsonTape> fields = JsonTape::Parse(tape.Text(node + 1));
    if (!fields) return Error(fields.error()).WithContext(tape.PathOf(node + 1));
  }
  return {};
}

Error ObjectTooLarge(std::size_t size, std::size_t limit) {
  return Error(Reason::kOverLimit, "object of " + std::to_string(size) +
                                       " bytes exceeds the limit of " + std::to_string(limit) +
                                       "; max_object_bytes of the informer's options raises it");
}

void AddRemedy(Error& error) {
  if (error.reason() != Reason::kDecode) return;
  error = Error(error.reason(), error.message() +
                                    "; compare with what `kubectl get --raw` shows: the object is "
                                    "damaged, or what lies between the server and here changes it");
}

}  // namespace kinformer::internal
