// apiserver/registry/audit_trail.h
//
// AuditTrail: what the parts of the server say about a request for the audit log.

#ifndef KINFORMER_APISERVER_REGISTRY_AUDIT_TRAIL_H_
#define KINFORMER_APISERVER_REGISTRY_AUDIT_TRAIL_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

// Loop-confined.
class AuditTrail {
 public:
  // The first value of a key stays.
  void Annotate(std::string key, std::string value) {
    annotations_.emplace(std::move(key), std::move(value));
  }
  [[nodiscard]] const std::map<std::string, std::string>& annotations() const {
    return annotations_;
  }

  UserInfoPtr impersonated{};  // null: nobody
  bool served = false;         // the request has reached the code that reads its body

 private:
  std::map<std::string, std::string> annotations_;
};

// Null: the request is not written to the audit log.
using AuditTrailPtr = std::shared_ptr<AuditTrail>;

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_AUDIT_TRAIL_H_
