// client/manifests/definitions.h
//
// Definitions: the CustomResourceDefinitions among manifests, for the objects that need them.

#ifndef KINFORMER_CLIENT_MANIFESTS_DEFINITIONS_H_
#define KINFORMER_CLIENT_MANIFESTS_DEFINITIONS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/manifests.h"
#include "kinformer/client/rest_mapper.h"
#include "kinformer/object/group_version_kind.h"

#include "client/manifests/object_requests.h"

namespace kinformer::internal::manifests {

// Thread-compatible.
class Definitions {
 public:
  explicit Definitions(const std::vector<Manifest>& manifests);

  // Whether the manifests define the kind.
  [[nodiscard]] bool Has(const GroupVersionKind& kind) const {
    return names_.contains({kind.group, kind.kind});
  }
  // Notes that a definition is on the server, so that Await waits for it.
  void Applied(const Manifest& manifest);
  // Waits until the server serves the kind, if its definition was applied. kDeadlineExceeded after
  // `timeout`, with what is missing.
  Result<void> Await(const ObjectRequests& requests, const GroupVersionKind& kind,
                     TimeSpan timeout);

 private:
  std::map<GroupKind, std::string> names_;    // of all definitions
  std::map<GroupKind, std::string> pending_;  // applied, and not waited for
};

}  // namespace kinformer::internal::manifests

#endif  // KINFORMER_CLIENT_MANIFESTS_DEFINITIONS_H_
