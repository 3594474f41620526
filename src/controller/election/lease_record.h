// controller/election/lease_record.h
//
// Converts between the record of a leader election and the spec of a Lease.

#ifndef KINFORMER_CONTROLLER_ELECTION_LEASE_RECORD_H_
#define KINFORMER_CONTROLLER_ELECTION_LEASE_RECORD_H_

#include "kinformer/api/coordinationv1_mutable.h"
#include "kinformer/leaderelection/resource_lock.h"

namespace kinformer::internal::election {

// Missing fields become zero values.
LeaderElectionRecord RecordOf(const coordinationv1::LeaseSpec& spec);

// Omits empty times, strategy and preferred holder; other fields are written even if empty.
void Write(const LeaderElectionRecord& record, coordinationv1::LeaseSpecMutable& spec);

}  // namespace kinformer::internal::election

#endif  // KINFORMER_CONTROLLER_ELECTION_LEASE_RECORD_H_
