// apiserver/admission/admission_webhooks.h
//
// AdmissionWebhooks: calls the webhooks of Validating- and MutatingWebhookConfigurations about
// write requests. Counterpart: the admission plugins MutatingAdmissionWebhook and
// ValidatingAdmissionWebhook of kube-apiserver.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_WEBHOOKS_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_WEBHOOKS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

#include "apiserver/admission/admission_question.h"
#include "apiserver/admission/admission_review.h"
#include "apiserver/admission/versioned_objects.h"
#include "apiserver/admission/webhook.h"
#include "apiserver/request/async.h"

namespace kinformer::apiserver {

enum class AdmissionPhase : std::uint8_t { kMutate, kValidate };

// Loop-confined. Work that grows with the size of large objects runs off the loop; waiting for
// responses does not block.
class AdmissionWebhooks {
 public:
  explicit AdmissionWebhooks(const AdmissionParts& parts) : parts_(parts) {}

  // Returns whether any webhook of that phase is configured. Cheap check before the costlier calls.
  [[nodiscard]] bool Any(AdmissionPhase phase) const;
  // Returns the webhooks whose rules and namespace selectors match the request, ordered by the
  // names of their configurations.
  [[nodiscard]] std::vector<AdmissionQuestionFor> Concerned(AdmissionPhase phase,
                                                            const AdmissionAttributes& attributes);

  // Calls the webhooks whose object selector matches. Mutating ones run one after the other, each
  // with the object as changed by the one before, and once more (reinvocationPolicy) if it changed
  // afterwards; validating ones run at once. Each sees the objects in its version; a failed
  // conversion refuses the request whatever the failure policy. `between`, if there is one, is
  // called between the two rounds of mutating webhooks. Never completes in the same turn of the
  // loop.
  [[nodiscard]] Task<AdmissionOutcome> Ask(AdmissionPhase phase,
                                           std::shared_ptr<AdmissionAttributes> attributes,
                                           std::vector<AdmissionQuestionFor> questions,
                                           BetweenRounds between = {});

 private:
  struct Configuration {
    StoredObjectPtr stored{};
    std::vector<WebhookPtr> webhooks{};
  };
  using Configurations = std::map<std::string, Configuration, std::less<>>;
  // Returns the configurations stored now. Each is parsed once per stored version.
  const Configurations& Stored(AdmissionPhase phase);

  const AdmissionParts parts_;
  Configurations mutating_{};
  Configurations validating_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_WEBHOOKS_H_
