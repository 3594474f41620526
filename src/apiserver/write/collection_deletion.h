// apiserver/write/collection_deletion.h
//
// CollectionDeletion: the answer to a DELETE of a collection: the list of what was there, once all
// of it is gone.

#ifndef KINFORMER_APISERVER_WRITE_COLLECTION_DELETION_H_
#define KINFORMER_APISERVER_WRITE_COLLECTION_DELETION_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "apiserver/admission/admission_webhooks.h"
#include "apiserver/registry/selection.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object_writer.h"

namespace kinformer::apiserver {

struct CollectionDeletionPlan {
  ResourceRequest request{};
  Selection selection{};
  std::int64_t limit = 0;  // 0: all
  bool dry_run = false;
  DeleteRequest each{};
  // The collection as the request's version shows it, and at which version of it: that of `request`
  // or, where a webhook converts, what has been converted.
  ResourceAt listed{};
  std::int64_t resource_version = 0;
};

// Deletes what the collection holds now, in turns of the loop that have an end. What goes
// meanwhile by other hands is gone, and what comes stays. The first object that cannot be deleted
// ends it with its error, and so does one that a webhook refuses. If nobody waits for the answer
// any more, the rest stays.
ResponsePtr DeleteCollectionInTurns(ServerState& state, ObjectWriter& writer, OffLoop& off_loop,
                                    AdmissionWebhooks& admission, CollectionDeletionPlan plan);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_COLLECTION_DELETION_H_
