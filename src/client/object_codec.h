// client/object_codec.h
//
// Encoding of one KindInfo's objects on the wire: the Accept header that requests them, and the
// decoding of responses.

#ifndef KINFORMER_CLIENT_OBJECT_CODEC_H_
#define KINFORMER_CLIENT_OBJECT_CODEC_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"

#include "client/engine.h"

namespace kinformer::internal::client {

// Kind of content that a response must have.
enum class Shape : std::uint8_t { kObject, kList };

// Sets accept, accept_protobuf and resource_key for objects of `type`. Use kObject for a watch.
void SetAccept(const KindInfo& type, Shape shape, ExchangeRequest& request);

// Returns whether the type holds only metadata, to which the server reduces the objects.
bool IsMetadataOnly(const KindInfo& type);

// Returns "pods", "deployments.apps": for messages and as a key.
std::string ResourceName(const KindInfo& type);

// Kinds that a response may have.
enum class Answers : std::uint8_t {
  kOwnKind,          // the type's kind, or for metadata-only types its metadata
  kAnyKind,          // some subresources have kinds of their own: scale, token
  kOwnKindOrStatus,  // or a Status that reports success: evictions, bindings
};

// Decodes one object from a response; null for a Status, where that is allowed. Returns kDecode if
// it cannot be read, or has another kind or apiVersion; a response without these is assumed to be
// of the requested type.
Result<ObjectRef> DecodeObject(const KindInfo& type, std::string_view content_type,
                               std::string_view body, Answers answers = Answers::kOwnKind);

// Checks whether a response of this apiVersion and kind may hold `shape` of `type`; else returns
// kDecode, which names both. Empty values are accepted. Checks only built-in list kinds, since
// custom ones may have any name.
Result<void> CheckKind(const KindInfo& type, Shape shape, std::string_view apiVersion,
                       std::string_view kind);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_OBJECT_CODEC_H_
