// apiserver/workloads/revisions.h
//
// RevisionsOf: the ControllerRevisions of a StatefulSet or DaemonSet: its present template and
// earlier ones.

#ifndef KINFORMER_APISERVER_WORKLOADS_REVISIONS_H_
#define KINFORMER_APISERVER_WORKLOADS_REVISIONS_H_

#include <string>

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

struct Revisions {
  std::string name{};  // of the present template
  std::string hash{};  // the end of its name
  Objects known{};     // from the oldest to the newest; may lack the present one
};

// Plans what is missing for the present template: a new revision, or a new number for an old one
// that is used again.
[[nodiscard]] Revisions RevisionsOf(const Scene& scene, Kind kind, const json::Value& owner,
                                    Plan& plan);

// Returns the template of a revision; that of the owner, if there is no such revision.
[[nodiscard]] const json::Value& TemplateOf(const Revisions& revisions, const std::string& name,
                                            const json::Value& owner);

// Deletes the oldest revisions beyond spec.revisionHistoryLimit that no pod uses. `pods`: those of
// the owner, with a label that is the name or the hash of their revision.
void ForgetRevisions(const Revisions& revisions, const json::Value& owner, const Objects& pods,
                     const std::string& current, Plan& plan);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_REVISIONS_H_
