// apiserver/admission/request_access.h
//
// RequestAccess: answers what expressions ask of `authorizer` about the sender of a request.

#ifndef KINFORMER_APISERVER_ADMISSION_REQUEST_ACCESS_H_
#define KINFORMER_APISERVER_ADMISSION_REQUEST_ACCESS_H_

#include <string>

#include "apiserver/admission/admission_review.h"
#include "apiserver/registry/server_state.h"
#include "cel/access.h"

namespace kinformer::apiserver {

// Loop-confined. Everything is allowed where roles do not decide.
class RequestAccess final : public internal::cel::AccessChecker {
 public:
  // Both must outlive it.
  RequestAccess(const ServerState& state, const AdmissionAttributes& attributes)
      : state_(state), attributes_(attributes) {}

  [[nodiscard]] internal::cel::AccessAnswer Check(const internal::cel::AccessQuestion& question,
                                                  const std::string& verb) const override;
  // Returns the resource of the request (authorizer.requestResource).
  [[nodiscard]] internal::cel::AccessQuestion Resource() const;

 private:
  const ServerState& state_;
  const AdmissionAttributes& attributes_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_REQUEST_ACCESS_H_
