// apiserver/write/sent_metadata.h
//
// What a client says in an object's metadata.

#ifndef KINFORMER_APISERVER_WRITE_SENT_METADATA_H_
#define KINFORMER_APISERVER_WRITE_SENT_METADATA_H_

#include <string>

#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::apiserver {

struct WriteTarget;  // apiserver/write/object_writer.h

// Puts the metadata of a new object where the request says, and takes out what is the server's to
// say. Gives the resourceVersion that was sent, if any.
Result<std::string> PlaceNew(const WriteTarget& target, json::Value& metadata);

// Whether what a body for an object that is there says fits the request, and is well formed.
Result<void> CheckSentMetadata(const WriteTarget& target, const json::Value& metadata);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_SENT_METADATA_H_
