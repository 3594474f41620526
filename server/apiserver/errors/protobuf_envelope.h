// apiserver/errors/protobuf_envelope.h
//
// Envelope around protobuf payloads of the API ("k8s\0" and runtime.Unknown), and the few messages
// that the server encodes by hand since they belong to no resource: Status, list heads, watch
// frames.

#ifndef KINFORMER_APISERVER_ERRORS_PROTOBUF_ENVELOPE_H_
#define KINFORMER_APISERVER_ERRORS_PROTOBUF_ENVELOPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {

void AppendVarint(std::uint64_t value, std::string& out);
void AppendVarintField(std::uint32_t field, std::uint64_t value, std::string& out);
// Appends a length-delimited field: text, bytes or a message.
void AppendBytesField(std::uint32_t field, std::string_view bytes, std::string& out);
// Appends tag and length of a length-delimited field; the caller appends its bytes.
void AppendBytesHeader(std::uint32_t field, std::size_t size, std::string& out);

// Header and trailer of the envelope around a message of `size` bytes.
std::string EnvelopeHeader(std::string_view api_version, std::string_view kind, std::size_t size);
inline constexpr std::string_view kEnvelopeTrailer{"\x1a\x00\x22\x00", 4};
std::string Envelope(std::string_view api_version, std::string_view kind, std::string_view message);

struct EnvelopeParts {
  std::string_view api_version{};
  std::string_view kind{};
  std::string_view raw{};
};
// Returns nullopt where `bytes` is no envelope.
std::optional<EnvelopeParts> ParseEnvelope(std::string_view bytes);

// Field of a message. Only varint and length-delimited fields carry a value here.
struct WireField {
  std::uint32_t number = 0;
  std::uint64_t varint = 0;
  std::string_view bytes{};
};
// Returns nullopt where the message is malformed.
std::optional<std::vector<WireField>> ReadFields(std::string_view message);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ERRORS_PROTOBUF_ENVELOPE_H_
