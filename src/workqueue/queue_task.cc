#include "kinformer/internal/queue_task.h"

#include <utility>

#include "base/core/signal.h"

namespace kinformer::internal {
namespace {

// A task's place among those that wait for an item.
class Getter {
 public:
  explicit Getter(std::shared_ptr<QueueCore> queue) : queue_(std::move(queue)) {}
  Getter(const Getter&) = delete;
  Getter& operator=(const Getter&) = delete;
  ~Getter() {
    if (!waits_) return;
    const QueueLock lock(*queue_);
    queue_->RemoveGetterLocked(signal_);
  }

  // Takes a node, or begins to wait for one. Returns false if there is something to wait for.
  bool Take(bool gives_up, QueueNode*& node) {
    const QueueLock lock(*queue_);
    bool ended = false;
    node = queue_->TryGetLocked(ended);
    if (std::exchange(waits_, false)) queue_->RemoveGetterLocked(signal_);
    if (node != nullptr || ended || gives_up) return true;
    queue_->AddGetterLocked(signal_);
    waits_ = true;
    return false;
  }
  [[nodiscard]] const std::shared_ptr<base::Signal>& signal() const { return signal_; }

 private:
  const std::shared_ptr<QueueCore> queue_;
  const std::shared_ptr<base::Signal> signal_ = std::make_shared<base::Signal>();
  bool waits_ = false;
};

}  // namespace

Task<QueueNode*> GetTask(std::shared_ptr<QueueCore> queue, std::stop_token stop) {
  Getter getter(queue);
  const base::Limits limits(queue->env(), getter.signal(), stop, std::nullopt);
  QueueNode* node = nullptr;
  while (!getter.Take(stop.stop_requested(), node)) co_await getter.signal()->Wait();
  co_return node;
}

}  // namespace kinformer::internal
