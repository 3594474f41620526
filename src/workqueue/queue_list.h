// workqueue/queue_list.h
//
// QueueList: items of a QueueLine that are returned in the order in which they joined.

#ifndef KINFORMER_WORKQUEUE_QUEUE_LIST_H_
#define KINFORMER_WORKQUEUE_QUEUE_LIST_H_

#include "kinformer/internal/queue_line.h"

namespace kinformer::internal {

// A list through `previous` and `next` of its nodes. Each operation returns true if front() has
// changed, is O(1), and passes over each held node once.
class QueueList {
 public:
  [[nodiscard]] QueueNode* head() const { return head_; }
  // Returns the first node that no worker has; those before it are passed over. Null: none.
  [[nodiscard]] QueueNode* front() const { return front_; }

  bool LinkAtBack(QueueNode& node) {
    node.next = nullptr;
    node.previous = back_;
    (back_ == nullptr ? head_ : back_->next) = &node;
    back_ = &node;
    node.passed_over = false;
    return front_ == nullptr && SetFront(&node);
  }
  bool Unlink(const QueueNode& node) {
    (node.previous == nullptr ? head_ : node.previous->next) = node.next;
    (node.next == nullptr ? back_ : node.next->previous) = node.previous;
    return front_ == &node && SetFront(node.next);
  }
  // Makes `node` available, whose worker is done.
  bool Release(QueueNode& node) {
    if (!node.passed_over) return false;
    // All nodes before the front are passed over. This node becomes the front.
    for (QueueNode* at = &node; at != front_; at = at->next) at->passed_over = false;
    return SetFront(&node);
  }

 private:
  // Sets `front`, or the first node behind it that is not in process.
  bool SetFront(QueueNode* front) {
    for (; front != nullptr && front->processing; front = front->next) front->passed_over = true;
    const bool changed = front != front_;
    front_ = front;
    return changed;
  }

  QueueNode* head_ = nullptr;
  QueueNode* back_ = nullptr;
  QueueNode* front_ = nullptr;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_WORKQUEUE_QUEUE_LIST_H_
