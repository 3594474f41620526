// kinformer/leaderelection.h
//
// All public headers of the group leaderelection.

#ifndef KINFORMER_LEADERELECTION_H_
#define KINFORMER_LEADERELECTION_H_

#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/leaderelection/lease_candidate.h"
#include "kinformer/leaderelection/lease_lock.h"
#include "kinformer/leaderelection/resource_lock.h"

#endif  // KINFORMER_LEADERELECTION_H_
