// apiserver/write/preconditions.h
//
// Whether the object that is stored is the one that a request means: by its uid and its
// resourceVersion.

#ifndef KINFORMER_APISERVER_WRITE_PRECONDITIONS_H_
#define KINFORMER_APISERVER_WRITE_PRECONDITIONS_H_

#include <string>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

struct DeleteRequest;  // apiserver/write/object_writer.h

// Optimistic concurrency: the object is still the one that the client has seen, as the metadata
// that it has sent says.
Result<void> CheckMayUpdate(const ServedResource& resource, const std::string& name,
                            const json::Value& metadata, const StoredObjectPtr& stored);

// The object is still the one that is to go, and of those that may go.
Result<void> CheckMayDelete(const ServedResource& resource, const std::string& name,
                            const DeleteRequest& request, const StoredObjectPtr& stored);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_PRECONDITIONS_H_
