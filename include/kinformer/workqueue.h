// kinformer/workqueue.h
//
// All public headers of the group workqueue.

#ifndef KINFORMER_WORKQUEUE_H_
#define KINFORMER_WORKQUEUE_H_

#include "kinformer/workqueue/async_work_queue.h"
#include "kinformer/workqueue/delaying_queue.h"
#include "kinformer/workqueue/fair_flows.h"
#include "kinformer/workqueue/flowcontrol.h"
#include "kinformer/workqueue/priority_queue.h"
#include "kinformer/workqueue/rate_limiter.h"
#include "kinformer/workqueue/rate_limiting_queue.h"
#include "kinformer/workqueue/work_queue.h"
#include "kinformer/workqueue/work_queue_order.h"
#include "kinformer/workqueue/worker.h"

#endif  // KINFORMER_WORKQUEUE_H_
