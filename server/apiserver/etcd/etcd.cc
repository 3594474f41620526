#include "apiserver/etcd/etcd.h"

namespace kinformer::apiserver {

Error EtcdUnavailable(const std::string& why) {
  return Error(Reason::kServiceUnavailable, "etcd cannot be reached, nothing was changed: " + why)
      .WithHttpStatus(503);
}

Error EtcdTimeout(const std::string& why) {
  return Error(
             Reason::kTimeout,
             "etcd has not answered, a change may be made or not, read before trying again: " + why)
      .WithHttpStatus(504);
}

Error EtcdSilence(const std::string& why) {
  return Error(Reason::kTimeout, "etcd has not answered, nothing was changed: " + why)
      .WithHttpStatus(504);
}

Error EtcdRefusal(const std::string& why) {
  return Error(Reason::kInternalError, "etcd refuses: " + why).WithHttpStatus(500);
}

}  // namespace kinformer::apiserver
