#include "apiserver/errors/protobuf_envelope.h"

#include "wire/envelope.h"
#include "wire/protobuf_reader.h"
#include "wire/protobuf_writer.h"

namespace kinformer::apiserver {

void AppendVarint(std::uint64_t value, std::string& out) {
  wire::ProtobufWriter(out).Varint(value);
}

void AppendVarintField(std::uint32_t field, std::uint64_t value, std::string& out) {
  wire::ProtobufWriter(out).VarintField(field, value);
}

void AppendBytesHeader(std::uint32_t field, std::size_t size, std::string& out) {
  wire::ProtobufWriter writer(out);
  writer.Tag(field, wire::WireType::kBytes);
  writer.Varint(size);
}

void AppendBytesField(std::uint32_t field, std::string_view bytes, std::string& out) {
  wire::ProtobufWriter(out).BytesField(field, bytes);
}

std::string EnvelopeHeader(std::string_view api_version, std::string_view kind, std::size_t size) {
  std::string type_meta;
  AppendBytesField(1, api_version, type_meta);
  AppendBytesField(2, kind, type_meta);
  std::string out(wire::kEnvelopeMagic);
  AppendBytesField(1, type_meta, out);
  AppendBytesHeader(2, size, out);
  return out;
}

std::string Envelope(std::string_view api_version, std::string_view kind,
                     std::string_view message) {
  return wire::SealEnvelope(api_version, kind, message);
}

std::optional<std::vector<WireField>> ReadFields(std::string_view message) {
  std::vector<WireField> fields;
  wire::ProtobufReader reader(message);
  while (reader.Next()) {
    fields.push_back(
        {.number = reader.field(), .varint = reader.varint(), .bytes = reader.bytes()});
  }
  if (!reader.ok()) return std::nullopt;
  return fields;
}

std::optional<EnvelopeParts> ParseEnvelope(std::string_view bytes) {
  const Result<wire::Envelope> envelope = wire::OpenEnvelope(bytes);
  if (!envelope) return std::nullopt;
  return EnvelopeParts{envelope->apiVersion, envelope->kind, envelope->message};
}

}  // namespace kinformer::apiserver
