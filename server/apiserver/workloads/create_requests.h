// apiserver/workloads/create_requests.h
//
// CreateRequests: creates of the simulated workloads that admission reviews, as those of clients.

#ifndef KINFORMER_APISERVER_WORKLOADS_CREATE_REQUESTS_H_
#define KINFORMER_APISERVER_WORKLOADS_CREATE_REQUESTS_H_

#include <functional>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver::workloads {

// Loop-confined.
class CreateRequests {
 public:
  virtual ~CreateRequests() = default;
  // Returns whether anybody reviews creates now: plug-ins, quotas, policies or webhooks.
  [[nodiscard]] virtual bool Any() const = 0;
  // Creates the object, and calls `done`, before returning if nobody has to be waited for.
  virtual void Create(const WriteTarget& target, json::Value object,
                      std::function<void(Result<void> made)> done) = 0;
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_CREATE_REQUESTS_H_
