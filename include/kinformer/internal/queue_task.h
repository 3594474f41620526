// kinformer/internal/queue_task.h
//
// GetTask: waits for an item of a queue as a task.

#ifndef KINFORMER_INTERNAL_QUEUE_TASK_H_
#define KINFORMER_INTERNAL_QUEUE_TASK_H_

#include <memory>
#include <stop_token>

#include "kinformer/base/task.h"
#include "kinformer/internal/queue_core.h"

namespace kinformer::internal {

// Takes a node, as QueueCore::GetLocked does. Null: the queue is shut down and empty, or `stop` was
// requested and no item waits.
Task<QueueNode*> GetTask(std::shared_ptr<QueueCore> queue, std::stop_token stop);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_QUEUE_TASK_H_
