// controller/causes/cause_more.h
//
// CauseMore: what a cause has beside its note.

#ifndef KINFORMER_CONTROLLER_CAUSES_CAUSE_MORE_H_
#define KINFORMER_CONTROLLER_CAUSES_CAUSE_MORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/internal/cause_note.h"

namespace kinformer::internal {

struct CauseMore {
  explicit CauseMore(std::shared_ptr<CauseBudget> from) : budget(std::move(from)) {}
  ~CauseMore() { LeaveBudget(); }
  CauseMore(const CauseMore&) = delete;
  CauseMore& operator=(const CauseMore&) = delete;

  // Returns false, and does nothing, if the budget is used up.
  [[nodiscard]] bool Charge(std::size_t more) {
    if (!budget->Take(more)) return false;
    bytes += more;
    return true;
  }
  // From now on, another owner counts the bytes.
  void LeaveBudget() {
    if (budget != nullptr) budget->Give(bytes);
    budget.reset();
  }

  std::atomic<std::uint32_t> refs{1};
  ObjectRef before{};
  ObjectRef now{};
  std::vector<RawCause> further{};
  std::size_t bytes = 0;
  std::shared_ptr<CauseBudget> budget;  // null: `bytes` are in none
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_CAUSES_CAUSE_MORE_H_
