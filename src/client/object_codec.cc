#include "client/object_codec.h"

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/descriptor.h"

#include "client/status.h"
#include "wire/envelope.h"
#include "wire/json_bitmap.h"
#include "wire/json_scanner.h"

namespace kinformer::internal::client {
namespace {

struct TypeMeta {
  std::string_view apiVersion{};
  std::string_view kind{};
};

// Reads kind and apiVersion as far as present; servers write both first.
TypeMeta TypeMetaOf(std::string_view json, const wire::JsonBitmap& bitmap) {
  TypeMeta meta;
  wire::JsonMembers members(json, bitmap);
  while ((meta.kind.empty() || meta.apiVersion.empty()) && members.Next()) {
    if (members.name() == "kind") meta.kind = wire::PlainJsonString(members.value());
    if (members.name() == "apiVersion") meta.apiVersion = wire::PlainJsonString(members.value());
  }
  return meta;
}

std::string Described(std::string_view kind, std::string_view apiVersion) {
  return std::string(kind.empty() ? "no kind" : kind) + " of " +
         std::string(apiVersion.empty() ? "no apiVersion" : apiVersion);
}

}  // namespace

bool IsMetadataOnly(const KindInfo& type) {
  return type.message != nullptr &&
         type.message->name == "k8s.io.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata";
}

std::string ResourceName(const KindInfo& type) {
  std::string name(type.resource);
  if (!type.group.empty()) {
    name += '.';
    name += type.group;
  }
  return name;
}

void SetAccept(const KindInfo& type, Shape shape, ExchangeRequest& request) {
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
    request.accept_protobuf = kProtobufMediaType;
    request.accept_protobuf.append(",").append(kJsonMediaType);
  }
}

Result<void> CheckKind(const KindInfo& type, Shape shape, std::string_view apiVersion,
                       std::string_view kind) {
  const bool list = shape == Shape::kList;
  const bool metadata_only = IsMetadataOnly(type);
  const bool built_in = type.message != nullptr && !metadata_only;
  if (type.kind.empty() || (list && !built_in)) return {};
  if (metadata_only && kind == "PartialObjectMetadata") return {};
  const std::string expected = std::string(type.kind) + (list ? "List" : "");
  const std::string version = type.apiVersion();
  if ((kind.empty() || kind == expected) && (apiVersion.empty() || apiVersion == version)) {
    return {};
  }
  return Error(Reason::kDecode, "expected a " + Described(expected, version) +
                                    ", and the server answered with a " +
                                    Described(kind, apiVersion) +
                                    ": is the server's address that of an API server, and not of "
                                    "something between that mixes answers up?");
}

Result<ObjectRef> DecodeObject(const KindInfo& type, std::string_view content_type,
                               std::string_view body, Answers answers) {
  const auto check = [&](std::string_view apiVersion, std::string_view kind) {
    return answers == Answers::kAnyKind ? Result<void>()
                                        : CheckKind(type, Shape::kObject, apiVersion, kind);
  };
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
      if (answers == Answers::kOwnKindOrStatus) return ObjectRef();
    }
    if (type.encoding() == Encoding::kProtobuf) {
      if (Result<void> kind = check(envelope->apiVersion, envelope->kind); !kind) {
        return kind.error();
      }
      return BuildFromProtobuf(type, envelope->message);
    }
  } else if (media_type == kJsonMediaType) {
    // Only a Status has "status" as a string. Checking for it costs a parse, so it is done only for
    // short bodies.
    if (body.size() < 4096 && body.find("\"Failure\"") != std::string_view::npos) {
      if (std::optional<Error> error = ErrorOfJsonStatus(body)) return *std::move(error);
    }
    wire::JsonBitmap bitmap;
    bitmap.Read(body);
    const TypeMeta meta = TypeMetaOf(body, bitmap);
    if (answers == Answers::kOwnKindOrStatus && meta.kind == "Status") return ObjectRef();
    if (Result<void> kind = check(meta.apiVersion, meta.kind); !kind) return kind.error();
    return BuildFromJson(type, body, {}, &bitmap);
  }
  return Error(Reason::kDecode,
               "the server answered with media type \"" + std::string(content_type) +
                   "\", which is not what was asked for (" +
                   (type.encoding() == Encoding::kProtobuf ? "protobuf or JSON" : "JSON") + ")");
}

}  // namespace kinformer::internal::client
