#include "client/object_codec.h"

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/descriptor.h"

#include "client/status.h"
#include "wire/envelope.h"

namespace kinformer::internal::client {

bool IsMetadataOnly(const TypeInfo& type) {
  return type.message != nullptr &&
         type.message->name == "k8s.io.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata";
}

std::string ResourceName(const TypeInfo& type) {
  std::string name(type.resource);
  if (!type.group.empty()) {
    name += '.';
    name += type.group;
  }
  return name;
}

void SetAccept(const TypeInfo& type, Shape shape, ExchangeRequest& request) {
  request.resource_key = ResourceName(type);
  if (IsMetadataOnly(type)) {
    const std::string as = shape == Shape::kList
                               ? ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
                               : ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    request.resource_key += " metadata";
    request.accept = std::string(kJsonMediaType) + as + "," + std::string(kJsonMediaType);
    request.accept_protobuf = std::string(kProtobufMediaType) + as + "," + request.accept;
    return;
  }
  request.accept = kJsonMediaType;
  if (type.encoding() == Encoding::kProtobuf) {
    request.accept_protobuf = std::string(kProtobufMediaType) + "," + std::string(kJsonMediaType);
  }
}

Result<ObjectRef> DecodeObject(const TypeInfo& type, std::string_view content_type,
                               std::string_view body) {
  if (body.empty()) {
    return Error(Reason::kDecode,
                 "the server answered with an empty body in place of a " + std::string(type.kind));
  }
  const std::string_view media_type = MediaType(content_type);
  if (media_type == kProtobufMediaType) {
    const Result<wire::Envelope> envelope = wire::OpenEnvelope(body);
    if (!envelope) return envelope.error();
    if (envelope->kind == "Status") {
      if (std::optional<Error> error = ErrorOfProtobufStatus(envelope->message))
        return *std::move(error);
    }
    if (type.encoding() == Encoding::kProtobuf) return BuildFromProtobuf(type, envelope->message);
  } else if (media_type == kJsonMediaType) {
    // A Status is the only object that has "status" as text; looking for it costs a parse, so only
    // short bodies are suspects.
    if (body.size() < 4096 && body.find("\"Failure\"") != std::string_view::npos) {
      if (std::optional<Error> error = ErrorOfJsonStatus(body)) return *std::move(error);
    }
    return BuildFromJson(type, body);
  }
  return Error(Reason::kDecode,
               "the server answered with media type \"" + std::string(content_type) +
                   "\", which is not what was asked for (" +
                   (type.encoding() == Encoding::kProtobuf ? "protobuf or JSON" : "JSON") + ")");
}

}  // namespace kinformer::internal::client
