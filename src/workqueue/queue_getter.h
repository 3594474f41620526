// workqueue/queue_getter.h
//
// QueueGetter: a task that waits for an item of a queue.

#ifndef KINFORMER_WORKQUEUE_QUEUE_GETTER_H_
#define KINFORMER_WORKQUEUE_QUEUE_GETTER_H_

#include <memory>

#include "base/loop/signal.h"

namespace kinformer::internal {

struct QueueGetter {
  const std::shared_ptr<base::Signal> signal = std::make_shared<base::Signal>();
  bool waits = false;  // it is in the queue's list; guarded by the queue's lock
};

}  // namespace kinformer::internal

#endif  // KINFORMER_WORKQUEUE_QUEUE_GETTER_H_
