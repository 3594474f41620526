#include "object/transcode/value_to_protobuf.h"

#include <string_view>

#include "object/transcode/backward_writer.h"
#include "object/transcode/json_tape.h"
#include "object/transcode/message_encoder.h"

namespace kinformer::internal {
namespace {

constexpr std::size_t kExpectedBytes = 1024;

// Adapts a document for MessageEncoder.
class ValueSource {
 public:
  using Node = const json::Value*;
  static constexpr Node kNone = nullptr;
  static constexpr bool kKeeps = false;

  static JsonType Type(Node node) {
    switch (node->type()) {
      case json::Type::kNull:
        return JsonType::kNull;
      case json::Type::kBool:
        return node->AsBool().value_or(false) ? JsonType::kTrue : JsonType::kFalse;
      case json::Type::kNumber:
        return JsonType::kNumber;
      case json::Type::kString:
        return JsonType::kString;
      case json::Type::kArray:
        return JsonType::kArray;
      case json::Type::kObject:
        break;
    }
    return JsonType::kObject;
  }
  static std::string_view TypeName(Node node) { return json::TypeName(node->type()); }
  static std::string_view String(Node node, std::string&) { return node->StringOrEmpty(); }
  static std::string_view Text(Node node, std::string& scratch) {
    scratch = node->Dump();
    return scratch;
  }
  template <class F>
  static void ForEachMember(Node object, std::string&, const F& visit) {
    for (const auto& [name, value] : object->members()) visit(name, &value);
  }
  template <class F>
  static void ForEachItem(Node array, const F& visit) {
    for (const json::Value& item : array->items()) visit(&item);
  }
  static Error ErrorAt(Node, std::string_view what) {
    return Error(Reason::kDecode, "JSON: " + std::string(what));
  }
};

}  // namespace

Result<std::string> ValueToProtobuf(const MessageDescriptor& message, const json::Value& object) {
  const ValueSource source;
  BackwardWriter out(kExpectedBytes);
  MessageEncoder encoder(source, out, UnknownMembers::kDrop, {});
  if (!encoder.Run(message, &object)) return encoder.TakeError();
  return std::string(out.view());
}

}  // namespace kinformer::internal
