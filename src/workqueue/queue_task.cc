#include "kinformer/internal/queue_task.h"

#include <optional>
#include <utility>

#include "base/loop/signal.h"
#include "workqueue/queue_getter.h"

namespace kinformer::internal {
namespace {

// A task's place among those that wait for an item.
class Place {
 public:
  explicit Place(std::shared_ptr<QueueCore> queue) : queue_(std::move(queue)) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    if (!listed_) return;
    const QueueLock lock(*queue_);
    Leave(/*took=*/false);
  }

  // Takes a node, or begins to wait for one. Returns false if there is something to wait for.
  bool Take(bool gives_up, QueueNode*& node) {
    const QueueLock lock(*queue_);
    bool ended = false;
    node = queue_->TryGetLocked(ended);
    const bool over = node != nullptr || ended || gives_up;
    if (over) {
      if (std::exchange(listed_, false)) Leave(node != nullptr);
    } else if (!getter_->waits) {
      queue_->AddGetterLocked(getter_);
      listed_ = true;
    }
    return over;
  }
  [[nodiscard]] const std::shared_ptr<base::Signal>& signal() const { return getter_->signal; }

 private:
  // A notification that came has no use if no node was taken.
  void Leave(bool took) {
    if (getter_->waits) {
      queue_->RemoveGetterLocked(*getter_);
    } else if (!took) {
      queue_->PassOnLocked();
    }
  }

  const std::shared_ptr<QueueCore> queue_;
  const std::shared_ptr<QueueGetter> getter_ = std::make_shared<QueueGetter>();
  bool listed_ = false;  // it was, and has not been seen to leave
};

}  // namespace

Task<QueueNode*> GetTask(std::shared_ptr<QueueCore> queue, std::stop_token stop) {
  Place place(queue);
  const base::Limits limits(queue->env(), place.signal(), stop, std::nullopt);
  QueueNode* node = nullptr;
  while (!place.Take(stop.stop_requested(), node)) co_await place.signal()->Wait();
  co_return node;
}

}  // namespace kinformer::internal
