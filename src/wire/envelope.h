// wire/envelope.h
//
// The envelope around protobuf objects: the magic "k8s\0" and a runtime.Unknown{1: TypeMeta{1:
// apiVersion, 2: kind}, 2: raw, 3: contentEncoding, 4: contentType}.

#ifndef KINFORMER_WIRE_ENVELOPE_H_
#define KINFORMER_WIRE_ENVELOPE_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"

namespace kinformer::wire {

inline constexpr std::string_view kEnvelopeMagic{"k8s\0", 4};

// Views into the opened bytes.
struct Envelope {
  std::string_view apiVersion{};
  std::string_view kind{};
  std::string_view message{};      // the kind's own message
  std::string_view contentType{};  // empty for protobuf
};

// kDecode with the byte offset if the magic is wrong or the fields are malformed.
Result<Envelope> OpenEnvelope(std::string_view bytes);

// Returns the envelope as servers write it, with empty contentEncoding and contentType.
std::string SealEnvelope(std::string_view api_version, std::string_view kind,
                         std::string_view message);

// Used by OpenEnvelope and by the splitters. Returns false if the message is malformed.
bool ReadTypeMeta(std::string_view message, std::string_view& api_version, std::string_view& kind);

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_ENVELOPE_H_
