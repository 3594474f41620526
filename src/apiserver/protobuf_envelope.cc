#include "apiserver/protobuf_envelope.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kMagic{"k8s\x00", 4};

bool ReadVarint(std::string_view& in, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in[0]);
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

}  // namespace

void AppendVarint(std::uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void AppendVarintField(std::uint32_t field, std::uint64_t value, std::string& out) {
  AppendVarint(static_cast<std::uint64_t>(field) << 3, out);
  AppendVarint(value, out);
}

void AppendBytesHeader(std::uint32_t field, std::size_t size, std::string& out) {
  AppendVarint((static_cast<std::uint64_t>(field) << 3) | 2, out);
  AppendVarint(size, out);
}

void AppendBytesField(std::uint32_t field, std::string_view bytes, std::string& out) {
  AppendBytesHeader(field, bytes.size(), out);
  out.append(bytes);
}

std::string EnvelopeHeader(std::string_view api_version, std::string_view kind, std::size_t size) {
  std::string type_meta;
  AppendBytesField(1, api_version, type_meta);
  AppendBytesField(2, kind, type_meta);
  std::string out(kMagic);
  AppendBytesField(1, type_meta, out);
  AppendBytesHeader(2, size, out);
  return out;
}

std::string Envelope(std::string_view api_version, std::string_view kind,
                     std::string_view message) {
  std::string out = EnvelopeHeader(api_version, kind, message.size());
  out.append(message);
  out.append(kEnvelopeTrailer);
  return out;
}

std::optional<std::vector<WireField>> ReadFields(std::string_view message) {
  std::vector<WireField> fields;
  while (!message.empty()) {
    std::uint64_t tag = 0;
    if (!ReadVarint(message, tag) || (tag >> 3) == 0 || (tag >> 3) > 0x1fffffff)
      return std::nullopt;
    WireField field{.number = static_cast<std::uint32_t>(tag >> 3)};
    std::uint64_t size = 0;
    switch (tag & 7) {
      case 0:
        if (!ReadVarint(message, field.varint)) return std::nullopt;
        break;
      case 1:
        size = 8;
        break;
      case 2:
        if (!ReadVarint(message, size)) return std::nullopt;
        break;
      case 5:
        size = 4;
        break;
      default:
        return std::nullopt;
    }
    if (size > message.size()) return std::nullopt;
    field.bytes = message.substr(0, size);
    message.remove_prefix(size);
    fields.push_back(field);
  }
  return fields;
}

std::optional<EnvelopeParts> ParseEnvelope(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return std::nullopt;
  const auto fields = ReadFields(bytes.substr(kMagic.size()));
  if (!fields) return std::nullopt;
  EnvelopeParts parts;
  for (const WireField& field : *fields) {
    if (field.number == 2) parts.raw = field.bytes;
    if (field.number != 1) continue;
    const auto type_meta = ReadFields(field.bytes);
    if (!type_meta) return std::nullopt;
    for (const WireField& inner : *type_meta) {
      if (inner.number == 1) parts.api_version = inner.bytes;
      if (inner.number == 2) parts.kind = inner.bytes;
    }
  }
  return parts;
}

}  // namespace kinformer::apiserver
