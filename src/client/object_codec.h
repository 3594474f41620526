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

// One object out of an answer.
Result<ObjectRef> DecodeObject(const TypeInfo& type, std::string_view content_type,
                               std::string_view body);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_OBJECT_CODEC_H_
