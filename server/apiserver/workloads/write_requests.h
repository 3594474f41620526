// apiserver/workloads/write_requests.h
//
// WriteRequests: writes of the simulated workloads that admission reviews, as those of clients.

#ifndef KINFORMER_APISERVER_WORKLOADS_WRITE_REQUESTS_H_
#define KINFORMER_APISERVER_WORKLOADS_WRITE_REQUESTS_H_

#include <functional>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver::workloads {

// Each makes a request of the target's user and calls `done` once it is made or refused, before
// returning if nobody has to be waited for. Loop-confined.
class WriteRequests {
 public:
  using Done = std::function<void(Result<void> made)>;

  virtual ~WriteRequests() = default;
  // Returns whether anybody reviews writes now: plug-ins, quotas, policies or webhooks.
  [[nodiscard]] virtual bool Any() const = 0;
  virtual void Create(const WriteTarget& target, json::Value object, Done done) = 0;
  // Updates the object or its status, as the target's subresource says. Fails with Conflict if the
  // stored object is not of the resourceVersion that the given one has.
  virtual void Update(const WriteTarget& target, json::Value object, Done done) = 0;
  // Sets spec.replicas of the object to those of the given one, through its Scale.
  virtual void UpdateScale(const WriteTarget& target, const json::Value& object, Done done) = 0;
  // Reviews the Binding of a pod to its spec.nodeName, and updates the pod.
  virtual void Bind(const WriteTarget& target, json::Value pod, Done done) = 0;
  virtual void Delete(const WriteTarget& target, DeleteRequest request, Done done) = 0;
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_WRITE_REQUESTS_H_
