#include "controller/election/lease_record.h"

namespace kinformer::internal::election {

LeaderElectionRecord RecordOf(const coordinationv1::LeaseSpec& spec) {
  return {.holderIdentity = std::string(spec.holderIdentity().value_or("")),
          .leaseDurationSeconds = spec.leaseDurationSeconds().value_or(0),
          .acquireTime = spec.acquireTime().value_or(metav1::MicroTime()),
          .renewTime = spec.renewTime().value_or(metav1::MicroTime()),
          .leaderTransitions = spec.leaseTransitions().value_or(0),
          .strategy = std::string(spec.strategy().value_or("")),
          .preferredHolder = std::string(spec.preferredHolder().value_or(""))};
}

void Write(const LeaderElectionRecord& record, coordinationv1::LeaseSpecMutable& spec) {
  const auto unless_empty = [](const auto& value, bool empty) {
    return empty ? std::nullopt : std::optional(value);
  };
  spec.holderIdentity = record.holderIdentity;
  spec.leaseDurationSeconds = record.leaseDurationSeconds;
  spec.acquireTime = unless_empty(record.acquireTime, record.acquireTime.IsZero());
  spec.renewTime = unless_empty(record.renewTime, record.renewTime.IsZero());
  spec.leaseTransitions = record.leaderTransitions;
  spec.strategy = unless_empty(record.strategy, record.strategy.empty());
  spec.preferredHolder = unless_empty(record.preferredHolder, record.preferredHolder.empty());
}

}  // namespace kinformer::internal::election
