// apiserver/write/object/preconditions.h
//
// Preconditions of updates and deletes: uid and resourceVersion in the request must be those of the
// stored object.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_PRECONDITIONS_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_PRECONDITIONS_H_

#include <string>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

struct DeleteRequest;  // apiserver/write/object/write_request.h

// Checks that the stored object is the version that the client read, by the metadata it sent
// (optimistic concurrency).
Result<void> CheckMayUpdate(const ServedResource& resource, const std::string& name,
                            const json::Value& metadata, const StoredObjectPtr& stored);

// Checks the preconditions of a delete, and that the object may be deleted at all.
Result<void> CheckMayDelete(const ServedResource& resource, const std::string& name,
                            const DeleteRequest& request, const StoredObjectPtr& stored);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_PRECONDITIONS_H_
