// kinformer/controller/causes.h
//
// Causes: why a reconcile runs. Each queued request carries what woke it.
//
//   const Causes causes = context.causes();  // of a ReconcileContext
//   for (const Cause& cause : causes.list) {
//     if (cause.type == CauseType::kUpdated) std::cout << cause.ToString() << '\n';
//   }
//
// A reconciler should not depend on them: after a restart all objects come as kInitialList, and
// causes beyond a limit are only counted. They are for logs, and for people who ask why.

#ifndef KINFORMER_CONTROLLER_CAUSES_H_
#define KINFORMER_CONTROLLER_CAUSES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/object/object_name.h"

namespace kinformer {

// The kind of a cause.
enum class CauseType : std::uint8_t {
  kAdded,        // an object was created
  kInitialList,  // it was there when the controller started
  kUpdated,      // it has changed
  kDeleted,      // it is gone
  kResync,       // nothing has changed: its informer told all objects again
  kChannel,      // an EventChannel
  kSource,       // the program itself, such as a Ticker or a source::Func
  kRetry,        // the last attempt failed
  kRequeue,      // the last reconcile asked for it by ReconcileResult::requeue
  kTimer,        // the last reconcile asked for it by ReconcileResult::requeue_after
  kUnparked,     // it was put aside until a cache showed an own write
};

// Returns "updated", "initial list".
[[nodiscard]] std::string_view CauseTypeName(CauseType type);

// One cause of a reconcile. Has no counterpart in controller-runtime.
struct Cause {
  CauseType type{};
  SteadyTime at{};  // when it came
  // The object of an event: "Deployment.apps" or "Pod", and its name; empty for other causes.
  std::string kind{};
  ObjectName object{};
  std::string old_version{};  // resourceVersions: the one before, of updates only
  std::string new_version{};
  // For kUpdated: paths of the fields that have changed, in the order of the object, 16 at most,
  // without resourceVersion, generation and managedFields: `spec.replicas`,
  // `metadata.labels["example.com/team"]`. They are never values.
  std::vector<std::string> fields{};
  // Field manager of the change, by metadata.managedFields; empty if the cache has none.
  std::string manager{};
  // For kRetry: number of the attempt, from 1 for the first retry, and the error before.
  int attempt{0};
  std::string error{};

  // Returns `updated Deployment.apps default/web 41 -> 45 spec.replicas by kubectl-scale`.
  [[nodiscard]] std::string ToString() const;
};

// All causes of a reconcile, oldest first: exactly what has come for the request since its last
// reconcile was begun.
struct Causes {
  // Eight at most: the first ones, and the newest. `fields` and `manager` need both objects of a
  // change, which are kept until the reconcile, in 1 MiB for all of a controller: empty beyond.
  std::vector<Cause> list{};
  std::size_t left_out{0};  // causes that are not in the list

  // Returns them in one line, separated by "; ".
  [[nodiscard]] std::string ToString() const;
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_CAUSES_H_
