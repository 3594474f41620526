// apiserver/write/request/eviction.h
//
// Evictions: deletes pods on request unless a PodDisruptionBudget forbids it.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_EVICTION_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_EVICTION_H_

#include <string>

#include "kinformer/base/result.h"

#include "apiserver/admission/admission.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/request/body_writer.h"

namespace kinformer::apiserver {

// Loop-confined. Work that grows with the size of the body, of the pod or of budgets runs off the
// loop if it is much. Concurrent writes in between are detected.
class Evictions {
 public:
  // All must outlive it, except `off_loop`, which must be destroyed before it.
  Evictions(ServerState& state, OffLoop& off_loop, Admission& admission, BodyWriter& bodies)
      : state_(state), off_loop_(off_loop), admission_(admission), bodies_(bodies) {}

  // Deletes the pod with the options of the Eviction in the body, if the one budget that selects it
  // allows a disruption, and subtracts that from the budget's status. No controller updates that
  // status here: budgets allow only the disruptions that a client has written into it. Returns
  // TooManyRequests with the cause DisruptionBudget if refused, else the errors of a delete.
  // Webhooks review the Eviction and the budget's status, which the server changes under its own
  // name, but not the pod and its deletion.
  Task<ResponsePtr> Evict(ResourceRequest request, bool dry_run);

 private:
  // An eviction that webhooks have allowed.
  struct Admitted {
    ResourceRequest request{};
    WriteTarget target{};
    DeleteRequest options{};

    // Returns a request to change an object as a part of this eviction.
    [[nodiscard]] ResourceRequest RequestFor(const WriteTarget& changed) const;
  };

  Task<ResponsePtr> EvictAdmitted(Admitted eviction);
  // Finds the budget that must allow the disruption of the pod; null: none has to.
  Task<Result<StoredObjectPtr>> FindBudget(StoredObjectPtr pod);
  // Return null, or the response with the error.
  Task<ResponsePtr> TakeDisruption(const Admitted& eviction, const StoredObject& budget);
  Task<ResponsePtr> MarkDisrupted(const Admitted& eviction, std::string uid);

  ServerState& state_;
  OffLoop& off_loop_;
  Admission& admission_;
  BodyWriter& bodies_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_EVICTION_H_
