// client/object_codec.h
//
// How the objects of one TypeInfo travel: which Accept header asks for them, and what to make of an
// answer's bytes.

#ifndef KINFORMER_CLIENT_OBJECT_CODEC_H_
#define KINFORMER_CLIENT_OBJECT_CODEC_H_

#include <string>
#include <string_view>

#include "kinformer/internal/block.h"
#include "kinformer/result.h"

#include "client/engine.h"

namespace kinformer::internal::client {

// What the answer to a request is to hold.
enum class Shape : std::uint8_t { kObject, kList };

// Sets accept, accept_protobuf and resource_key for objects of `type`. A watch asks for objects.
void SetAccept(const TypeInfo& type, Shape shape, ExchangeRequest& request);

// Whether objects of the type are only their metadata, which the server is asked to cut out.
bool IsMetadataOnly(const TypeInfo& type);

// "pods", "deployments.apps": for messages and as a key.
std::string ResourceName(const TypeInfo& type);

// Which kinds an answer may be of.
enum class Answers : std::uint8_t {
  kOwnKind,          // the type's, or where the type is metadata only, its metadata
  kAnyKind,          // of subresources some have kinds of their own: scale, token
  kOwnKindOrStatus,  // or a Status that says it is done: evictions, bindings
};

// One object out of an answer; null for a Status, where that may come. kDecode: it cannot be read,
// or it says that it is of another kind or apiVersion; an answer that does not say is taken for
// what was asked for.
Result<ObjectRef> DecodeObject(const TypeInfo& type, std::string_view content_type,
                               std::string_view body, Answers answers = Answers::kOwnKind);

// Whether an answer that says these may hold `shape` of `type`; else kDecode, which names both.
// Empty ones say nothing. Of lists only those of built-in kinds are judged: others may be called
// anything.
Result<void> CheckKind(const TypeInfo& type, Shape shape, std::string_view apiVersion,
                       std::string_view kind);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_OBJECT_CODEC_H_
