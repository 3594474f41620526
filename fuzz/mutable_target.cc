// Mutable structs: decoding and encoding must give back the same content.

#include <string>

#include "kinformer/api/apiextensionsv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/internal/mutable_codec.h"
#include "kinformer/object/kind_info.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "object/transcode/transcode.h"

namespace kinformer::fuzz {

namespace {

template <class Kind>
void RoundTrip(std::string_view message) {
  using Mutable = typename Kind::Mutable;
  const KindInfo& type = Kind::kind_info();
  std::string transcoded;
  const Result<void> has_json = internal::ProtobufToJson(
      *type.message, message, transcoded, internal::TypeMetaJson(type.kind, type.apiVersion()));
  const Result<Mutable> object = internal::DecodeProtobuf<Mutable>(message);
  if (!object) {
    Require(!object.error().message().empty(), "an error says something");
    return;
  }
  const std::string encoded = internal::EncodeProtobuf(*object);
  const Result<Mutable> again = internal::DecodeProtobuf<Mutable>(encoded);
  Require(again.ok(), "what is encoded is taken");
  RequireEqual(internal::EncodeProtobuf(*again), encoded, "encoding is stable");

  if (!has_json.ok()) return;  // deeper levels may contain values without a JSON form
  const std::string json = internal::EncodeJson(*object);
  // A struct has a Quantity as a number; an invalid text becomes zero.
  const Result<Mutable> beside = internal::DecodeJson<Mutable>(transcoded);
  if (!beside) return;
  if (IsUtf8(message))
    RequireEqual(internal::EncodeJson(*beside), json, "the struct's JSON is the transcoder's");
  const Result<Mutable> from_json = internal::DecodeJson<Mutable>(json);
  Require(from_json.ok(), "the struct's JSON is taken", json,
          from_json.ok() ? std::string_view() : from_json.error().message());
  // Invalid UTF-8 is replaced by an escape at the first conversion, so the texts differ.
  if (IsUtf8(message))
    RequireEqual(internal::EncodeJson(*from_json), json, "JSON and back gives the same JSON");
}

}  // namespace

void FuzzMutable(std::string_view input) {
  Choices choices(input);
  if (choices.Byte() % 2 == 0) {
    RoundTrip<corev1::Pod>(choices.rest());
  } else {
    RoundTrip<apiextensionsv1::CustomResourceDefinition>(choices.rest());
  }
}

}  // namespace kinformer::fuzz
