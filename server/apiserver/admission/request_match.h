// apiserver/admission/request_match.h
//
// RequestMatch: whether rules and selectors of webhooks and policies match a request.

#ifndef KINFORMER_APISERVER_ADMISSION_REQUEST_MATCH_H_
#define KINFORMER_APISERVER_ADMISSION_REQUEST_MATCH_H_

#include <span>
#include <string>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/object/label_selector.h"

#include "apiserver/admission/admission_review.h"
#include "apiserver/admission/webhook.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// A rule that may be limited to some names.
struct NamedRule {
  WebhookRule rule{};
  std::vector<std::string> names{};  // empty: all
};

// Rules and selectors of a policy or a binding. Immutable.
struct MatchResources {
  std::vector<NamedRule> rules{};  // empty: all requests
  std::vector<NamedRule> excluded{};
  LabelSelector namespaces{};
  LabelSelector objects{};
  bool exact = false;  // matchPolicy

  static MatchResources Of(const json::Value& said);
};

// Loop-confined. Counterpart: the packages matching and predicates of k8s.io/apiserver.
class RequestMatch {
 public:
  // Both must outlive it.
  RequestMatch(const ServerState& state, const AdmissionAttributes& attributes);

  // Returns the resource and version at which one of the rules matches: that of the request, or
  // else the first equivalent that a rule matches. Empty if none does.
  [[nodiscard]] ResourceAt PlaceFor(std::span<const WebhookRule> rules, bool exact) const;
  [[nodiscard]] bool InNamespace(const LabelSelector& selector) const;
  // Returns whether one of the two objects has such labels.
  [[nodiscard]] bool HasLabels(const LabelSelector& selector) const;

  // Returns the resource and version at which all of this matches; empty if it does not.
  [[nodiscard]] ResourceAt PlaceFor(const MatchResources& resources) const;

 private:
  [[nodiscard]] ResourceAt PlaceFor(std::span<const NamedRule> rules, bool exact) const;

  const ServerState& state_;
  const AdmissionAttributes& attributes_;
  const std::vector<ResourceAt> equivalents_;
};

// Returns whether one of the two objects has labels that the selector matches.
[[nodiscard]] bool MatchesEither(const LabelSelector& selector, const json::Value& object,
                                 const json::Value& old);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_REQUEST_MATCH_H_
