// cache/apply/store_turn.h
//
// StoreTurn: which part of a store may be written. A relist keeps a version open over several turns
// of the loop; the other parts wait meanwhile.

#ifndef KINFORMER_CACHE_APPLY_STORE_TURN_H_
#define KINFORMER_CACHE_APPLY_STORE_TURN_H_

#include <functional>
#include <utility>

namespace kinformer::internal::cache {

// A holder is known by its address. Confined to the loop.
class StoreTurn {
 public:
  // `given_back`: called when others may continue; they must not write inside it.
  explicit StoreTurn(std::function<void()> given_back) : given_back_(std::move(given_back)) {}

  [[nodiscard]] bool IsFreeFor(const void* holder) const {
    return holder_ == nullptr || holder_ == holder;
  }
  [[nodiscard]] bool IsFree() const { return holder_ == nullptr; }
  void Take(const void* holder) { holder_ = holder; }
  void GiveBack() {
    holder_ = nullptr;
    given_back_();
  }

 private:
  const std::function<void()> given_back_;
  const void* holder_ = nullptr;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_STORE_TURN_H_
