// apiserver/write/request/collection_deletion.h
//
// DeleteCollectionInTurns: handles a DELETE of a collection: responds with the list of its objects,
// once all of them were deleted.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_COLLECTION_DELETION_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_COLLECTION_DELETION_H_

#include <cstdint>

#include "apiserver/admission/admission.h"
#include "apiserver/plugins/admission_plugins.h"
#include "apiserver/registry/selection.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

struct CollectionDeletionPlan {
  ResourceRequest request{};
  Selection selection{};
  std::int64_t limit = 0;  // 0: no limit
  bool dry_run = false;
  DeleteRequest each{};
  const AdmissionPlugins& plugins;
  // The collection in the request's version, and its resourceVersion; the resource is that of
  // `request` or, with a conversion webhook, the one with the converted objects.
  ResourceAt listed{};
  std::int64_t resource_version = 0;
};

// Deletes the objects that the collection has now, in bounded turns of the loop. Ignores objects
// deleted by others in the meantime, and keeps new ones. Stops with the error of the first object
// that cannot be deleted, or that a webhook refuses to delete. Stops as well if the response is
// destroyed.
Task<ResponsePtr> DeleteCollectionInTurns(ServerState& state, ObjectWriter& writer,
                                          OffLoop& off_loop, Admission& admission,
                                          CollectionDeletionPlan plan);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_COLLECTION_DELETION_H_
