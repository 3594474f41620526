// apiserver/write/request/admitted.h
//
// Admission of writes by webhooks: makes the attributes of a request, and asks the webhooks.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_ADMITTED_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_ADMITTED_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/admission/admission.h"
#include "apiserver/request/async.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

// Returns the attributes without objects and size. `operation`: CREATE or UPDATE.
std::shared_ptr<AdmissionAttributes> AttributesOf(const ResourceRequest& request,
                                                  const WriteTarget& target,
                                                  std::string_view operation);
// The same for a DELETE.
std::shared_ptr<AdmissionAttributes> AttributesOfDelete(const ResourceRequest& request,
                                                        const WriteTarget& target,
                                                        const DeleteRequest& options);
// The same for a CONNECT, such as exec, whose object are its options.
std::shared_ptr<AdmissionAttributes> AttributesOfConnect(const ResourceRequest& request,
                                                         json::Value options);

// Asks the webhooks of a phase, and adds their warnings to `warnings`. Returns whether they have
// changed the object, or the error if they refuse. Completes at once if no webhook of the phase
// matches.
Task<Result<bool>> Admit(Admission& admission, AdmissionPhase phase,
                         std::shared_ptr<AdmissionAttributes> attributes,
                         std::vector<std::string>& warnings);

// A create request whose object is not stored anywhere: a Binding, an Eviction, a TokenRequest or
// an access review.
struct UnstoredCreate {
  ResourceRequest request{};
  bool dry_run = false;
  json::Value object{};
  std::vector<std::string> warnings{};  // from webhooks

  // Makes the response with the error and the warnings.
  [[nodiscard]] ResponsePtr Fail(const Error& error) const {
    return Warned(ErrorResponse(error, request.accept), warnings);
  }
};

// Runs both phases of webhooks. `check` is called after the mutating ones: it validates the object,
// and completes it.
Task<Result<void>> AdmitCreation(Admission& admission, UnstoredCreate& create,
                                 std::function<Result<void>(json::Value& object)> check);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_ADMITTED_H_
