// apiserver/write/eviction.h
//
// Eviction: a pod's delete that PodDisruptionBudgets may refuse.

#ifndef KINFORMER_APISERVER_WRITE_EVICTION_H_
#define KINFORMER_APISERVER_WRITE_EVICTION_H_

#include <functional>
#include <memory>

#include "apiserver/admission/admission_webhooks.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/body_writer.h"

namespace kinformer::apiserver {

// Loop-confined. What costs by the size of the body, of the pod or of budgets is done off the loop
// where it is much: others may write in between, and what they have changed is noticed.
class Evictions {
 public:
  // All must outlive it, but for `off_loop`, which must end before it.
  Evictions(ServerState& state, OffLoop& off_loop, AdmissionWebhooks& admission, BodyWriter& bodies)
      : state_(state), off_loop_(off_loop), admission_(admission), bodies_(bodies) {}

  // Deletes the pod of the request as the Eviction in its body says, if the one budget that selects
  // it allows a disruption, which is then taken off its status, and answers with what `done` makes.
  // Nobody here computes that status: budgets allow what a client has written into it, and nothing
  // before. TooManyRequests with the cause DisruptionBudget where the budget does not allow it;
  // else the errors of a delete. Webhooks are asked about the Eviction, and about the budget's
  // status, which the server changes in its own name; not about the pod, and what becomes of it.
  ResponsePtr Evict(ResourceRequest request, bool dry_run, std::function<ResponsePtr()> done);

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;

  // What is done on the loop, in this order.
  ResponsePtr Admit(const JobPtr& job);
  ResponsePtr FindPod(const JobPtr& job);
  ResponsePtr FindBudgets(const JobPtr& job);
  ResponsePtr TakeDisruption(const JobPtr& job);
  ResponsePtr MarkDisrupted(const JobPtr& job);
  ResponsePtr DeletePod(const JobPtr& job);

  ServerState& state_;
  OffLoop& off_loop_;
  AdmissionWebhooks& admission_;
  BodyWriter& bodies_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_EVICTION_H_
