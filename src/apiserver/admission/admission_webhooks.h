// apiserver/admission/admission_webhooks.h
//
// AdmissionWebhooks: asks the webhooks of Validating- and MutatingWebhookConfigurations about
// requests. Counterpart: the admission plugins MutatingAdmissionWebhook and
// ValidatingAdmissionWebhook.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_WEBHOOKS_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_WEBHOOKS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/result.h"

#include "apiserver/admission/admission_review.h"
#include "apiserver/admission/versioned_objects.h"
#include "apiserver/admission/webhook.h"

namespace kinformer::apiserver {

enum class AdmissionPhase : std::uint8_t { kMutate, kValidate };

// What the webhooks have said.
struct AdmissionOutcome {
  Result<void> allowed{};
  bool changed = false;  // attributes.object is another now
  std::vector<std::string> warnings{};
};

// A webhook, and the version of the request's resource, or the resource with the same objects, that
// its rules name.
struct AdmissionQuestionFor {
  WebhookPtr webhook{};
  ResourceAt at{};
};

// Loop-confined. What a question costs by the object's size is done off the loop where it is much;
// waiting for answers holds up nobody.
class AdmissionWebhooks {
 public:
  explicit AdmissionWebhooks(const AdmissionParts& parts) : parts_(parts) {}

  // Whether there is any webhook of that phase: all else costs more.
  [[nodiscard]] bool Any(AdmissionPhase phase) const;
  // Those that the request concerns, by their rules and namespace selectors, in the order of the
  // configurations' names.
  [[nodiscard]] std::vector<AdmissionQuestionFor> Concerned(AdmissionPhase phase,
                                                            const AdmissionAttributes& attributes);

  // Questions under way. Without it they are abandoned.
  using Ticket = std::shared_ptr<void>;
  using Done = std::function<void(AdmissionOutcome outcome)>;
  // Asks those whose object selector fits: to mutate one after the other, each about what the one
  // before has made of attributes.object, and once more (reinvocationPolicy) those after which it
  // has changed; to validate all at once. Each sees the objects in its version; a conversion that
  // fails refuses the request, whatever the failure policy. Calls `done` on the loop, never before
  // it has returned.
  [[nodiscard]] Ticket Ask(AdmissionPhase phase, std::shared_ptr<AdmissionAttributes> attributes,
                           std::vector<AdmissionQuestionFor> questions, Done done);

 private:
  struct Configuration {
    StoredObjectPtr stored{};
    std::vector<WebhookPtr> webhooks{};
  };
  using Configurations = std::map<std::string, Configuration, std::less<>>;
  // What is stored now, each read once.
  const Configurations& Stored(AdmissionPhase phase);
  [[nodiscard]] bool InNamespace(const Webhook& webhook,
                                 const AdmissionAttributes& attributes) const;

  const AdmissionParts parts_;
  Configurations mutating_{};
  Configurations validating_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_WEBHOOKS_H_
