// kinformer/workqueue/work_queue_order.h
//
// WorkQueueOrder: an order of the program's own for the items of a WorkQueue.
//
//   class NewestFirst final : public WorkQueueOrder<ObjectName> {
//    public:
//     void Push(const ObjectName& item) override { items_.push_back(item); }
//     std::optional<ObjectName> Pop() override {
//       if (items_.empty()) return std::nullopt;
//       ObjectName last = std::move(items_.back());
//       items_.pop_back();
//       return last;
//     }
//    private:
//     std::vector<ObjectName> items_;
//   };
//   WorkQueue<ObjectName> queue(env, std::make_unique<NewestFirst>(), {.name = "pods"});
//
// For priorities, a PriorityQueue (priority_queue.h) is there already.

#ifndef KINFORMER_WORKQUEUE_WORK_QUEUE_ORDER_H_
#define KINFORMER_WORKQUEUE_WORK_QUEUE_ORDER_H_

#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace kinformer {

// Says which of the waiting items is next. One queue calls it, with its lock held: calls do not
// overlap, must be quick, and must not call the queue. Each item is pushed once before it is
// popped. Where it throws, which is logged and counted, or Pop returns nothing or an item that does
// not wait, the item that has waited longest is next. The queue counts its items itself: there is
// no Len. Counterpart: workqueue.Queue.
template <class Item>
class WorkQueueOrder {
 public:
  virtual ~WorkQueueOrder() = default;
  // Takes up an item that waits now.
  virtual void Push(const Item& item) = 0;
  // Notes that an item that waits was added again.
  virtual void Touch(const Item& item) { static_cast<void>(item); }
  // Gives an item away. Called when at least one waits.
  [[nodiscard]] virtual std::optional<Item> Pop() = 0;
};

// Returns the order that queues have without one: first in, first out. For orders that are made of
// others. Counterpart: workqueue.DefaultQueue.
template <class Item>
std::unique_ptr<WorkQueueOrder<Item>> DefaultQueue() {
  class FirstInFirstOut final : public WorkQueueOrder<Item> {
   public:
    void Push(const Item& item) override { items_.push_back(item); }
    [[nodiscard]] std::optional<Item> Pop() override {
      if (items_.empty()) return std::nullopt;
      std::optional<Item> first(std::move(items_.front()));
      items_.pop_front();
      return first;
    }

   private:
    std::deque<Item> items_;
  };
  return std::make_unique<FirstInFirstOut>();
}

}  // namespace kinformer

#endif  // KINFORMER_WORKQUEUE_WORK_QUEUE_ORDER_H_
