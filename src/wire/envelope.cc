#include "wire/envelope.h"

#include "wire/protobuf_reader.h"
#include "wire/protobuf_writer.h"

namespace kinformer::wire {

bool ReadTypeMeta(std::string_view message, std::string_view& api_version, std::string_view& kind) {
  ProtobufReader reader(message);
  while (reader.Next()) {
    if (reader.field() == 1) api_version = reader.bytes();
    if (reader.field() == 2) kind = reader.bytes();
  }
  return reader.ok();
}

Result<Envelope> OpenEnvelope(std::string_view bytes) {
  if (!bytes.starts_with(kEnvelopeMagic)) {
    return Error(
        Reason::kDecode,
        "protobuf object, byte 0: the magic \"k8s\\0\" is missing; is this another encoding?");
  }
  Envelope envelope;
  ProtobufReader reader(bytes.substr(kEnvelopeMagic.size()));
  bool ok = true;
  while (ok && reader.Next()) {
    switch (reader.field()) {
      case 1:
        ok = ReadTypeMeta(reader.bytes(), envelope.apiVersion, envelope.kind);
        break;
      case 2:
        envelope.message = reader.bytes();
        break;
      case 4:
        envelope.contentType = reader.bytes();
        break;
      default:
        break;
    }
  }
  if (!ok || !reader.ok()) {
    return Error(Reason::kDecode, "protobuf object, byte " +
                                      std::to_string(reader.offset() + kEnvelopeMagic.size()) +
                                      ": malformed envelope (runtime.Unknown)");
  }
  return envelope;
}

std::string SealEnvelope(std::string_view api_version, std::string_view kind,
                         std::string_view message) {
  std::string out;
  out.reserve(message.size() + api_version.size() + kind.size() + 32);
  out += kEnvelopeMagic;
  ProtobufWriter writer(out);
  writer.Nested(1, [&](ProtobufWriter& meta) {
    meta.BytesField(1, api_version);
    meta.BytesField(2, kind);
  });
  writer.BytesField(2, message);
  writer.BytesField(3, {});
  writer.BytesField(4, {});
  return out;
}

}  // namespace kinformer::wire
