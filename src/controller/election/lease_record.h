// controller/election/lease_record.h
//
// The record of a leader election as the spec of a Lease.

#ifndef KINFORMER_CONTROLLER_ELECTION_LEASE_RECORD_H_
#define KINFORMER_CONTROLLER_ELECTION_LEASE_RECORD_H_

#include "kinformer/api/coordinationv1_mutable.h"
#include "kinformer/resource_lock.h"

namespace kinformer::internal::election {

// What is missing is a zero value.
LeaderElectionRecord RecordOf(const coordinationv1::LeaseSpec& spec);

// Empty times, strategy and preferred holder are left out; the rest is written, empty or not.
void Write(const LeaderElectionRecord& record, coordinationv1::LeaseSpecMutable& spec);

}  // namespace kinformer::internal::election

#endif  // KINFORMER_CONTROLLER_ELECTION_LEASE_RECORD_H_
