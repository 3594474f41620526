// cache/apply/store_turn.h
//
// StoreTurn: which of the controllers that share a store may write it. A relist keeps a version of
// the store open over several turns of the loop; meanwhile the others wait.

#ifndef KINFORMER_CACHE_APPLY_STORE_TURN_H_
#define KINFORMER_CACHE_APPLY_STORE_TURN_H_

#include <functional>
#include <utility>

namespace kinformer::internal::cache {

class InformerController;

// Confined to the loop.
class StoreTurn {
 public:
  // `given_back` is called when the others may go on; they may not write inside.
  explicit StoreTurn(std::function<void()> given_back) : given_back_(std::move(given_back)) {}

  [[nodiscard]] bool IsFreeFor(const InformerController* controller) const {
    return holder_ == nullptr || holder_ == controller;
  }
  [[nodiscard]] bool IsFree() const { return holder_ == nullptr; }
  void Take(const InformerController* controller) { holder_ = controller; }
  void GiveBack() {
    holder_ = nullptr;
    given_back_();
  }

 private:
  const std::function<void()> given_back_;
  const InformerController* holder_ = nullptr;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_STORE_TURN_H_
