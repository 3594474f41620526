#include "conformance/script_protobuf.h"

#include <cstddef>
#include <gtest/gtest.h>

#include "kinformer/base/result.h"
#include "kinformer/internal/registry.h"

#include "object/transcode/transcode.h"
#include "wire/envelope.h"
#include "wire/protobuf_reader.h"

namespace kinformer::testing {
namespace {

const KindInfo* TypeOf(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  if (api_version.empty()) return internal::FindType("", "v1", kind);  // APIVersions
  if (slash == std::string_view::npos) return internal::FindType("", api_version, kind);
  return internal::FindType(api_version.substr(0, slash), api_version.substr(slash + 1), kind);
}

json::Value Unreadable(std::string why) { return {"unreadable protobuf: " + std::move(why)}; }

}  // namespace

std::string FromHex(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

std::string ObjectToProtobuf(const std::string& object, std::string_view more) {
  const json::Value value = json::Parse(object).value_or(json::Value());
  const std::string& api_version = value["apiVersion"].StringOrEmpty();
  const std::string& kind = value["kind"].StringOrEmpty();
  const KindInfo* type = TypeOf(api_version, kind);
  if (type == nullptr || type->message == nullptr) {
    ADD_FAILURE() << "no built-in kind: " << object;
    return {};
  }
  Result<std::string> message = internal::JsonToProtobuf(*type->message, object);
  if (!message) {
    ADD_FAILURE() << message.error() << ": " << object;
    return {};
  }
  message->append(more);
  return wire::SealEnvelope(api_version, kind, *message);
}

json::Value ObjectFromProtobuf(std::string_view bytes) {
  const Result<wire::Envelope> envelope = wire::OpenEnvelope(bytes);
  if (!envelope) return Unreadable(envelope.error().message());
  const std::string kind(envelope->kind);
  const KindInfo* type = TypeOf(envelope->apiVersion, kind);
  if (type == nullptr || type->message == nullptr) return Unreadable("kind " + kind);
  std::string text;
  const Result<void> decoded = internal::ProtobufToJson(
      *type->message, envelope->message, text, internal::TypeMetaJson(kind, envelope->apiVersion));
  if (!decoded) return Unreadable(decoded.error().message());
  const Result<std::string> again = internal::JsonToProtobuf(*type->message, text);
  if (!again || wire::SealEnvelope(envelope->apiVersion, kind, *again) != bytes) {
    return Unreadable("not as Go writes it: " + text);
  }
  return json::Parse(text).value_or(Unreadable(text));
}

std::vector<json::Value> FramesFromProtobuf(std::string_view bytes) {
  std::vector<json::Value> frames;
  while (!bytes.empty()) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4 && i < bytes.size(); ++i) {
      size = size << 8U | static_cast<unsigned char>(bytes[i]);
    }
    if (bytes.size() < 4 + size) {
      frames.push_back(Unreadable("the last frame is cut off"));
      return frames;
    }
    json::Value frame = json::Value::MakeObject();
    wire::ProtobufReader event(bytes.substr(4, size));
    while (event.Next()) {
      if (event.field() == 1) frame.Set("type", event.bytes());
      if (event.field() != 2) continue;
      wire::ProtobufReader extension(event.bytes());
      while (extension.Next()) {
        if (extension.field() == 1) frame.Set("object", ObjectFromProtobuf(extension.bytes()));
      }
    }
    frames.push_back(event.ok() ? std::move(frame) : Unreadable("a malformed event"));
    bytes.remove_prefix(4 + size);
  }
  return frames;
}

}  // namespace kinformer::testing
