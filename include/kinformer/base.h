// kinformer/base.h
//
// All public headers of the group base.

#ifndef KINFORMER_BASE_H_
#define KINFORMER_BASE_H_

#include "kinformer/base/closure.h"
#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/result.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/stop.h"
#include "kinformer/base/task.h"
#include "kinformer/base/time_span.h"
#include "kinformer/base/tracing.h"
#include "kinformer/base/until.h"
#include "kinformer/base/version.h"
#include "kinformer/base/wait.h"

#endif  // KINFORMER_BASE_H_
