// apiserver/write/object/sent_metadata.h
//
// Metadata in objects sent by clients.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_SENT_METADATA_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_SENT_METADATA_H_

#include <string>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

struct WriteTarget;  // apiserver/write/object/write_request.h

// Sets name and namespace of a new object by the request, and removes fields that only the server
// sets. Returns the resourceVersion sent, if any.
Result<std::string> PlaceNew(const WriteTarget& target, json::Value& metadata);

// Checks that the metadata sent for an existing object matches the request, and is well-formed.
Result<void> CheckSentMetadata(const WriteTarget& target, const json::Value& metadata);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_SENT_METADATA_H_
