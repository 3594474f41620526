// kinformer/internal/has_history.h
//
// HasHistory: what a manager asks why something was reconciled.

#ifndef KINFORMER_INTERNAL_HAS_HISTORY_H_
#define KINFORMER_INTERNAL_HAS_HISTORY_H_

#include <memory>

namespace kinformer::internal {

class FightBook;         // controller/fights/fight_book.h
class ReconcileHistory;  // controller/causes/reconcile_history.h

class HasHistory {
 public:
  virtual ~HasHistory() = default;
  [[nodiscard]] virtual std::shared_ptr<const ReconcileHistory> History() const = 0;
  // Returns null if the controller does not look for fights.
  [[nodiscard]] virtual std::shared_ptr<FightBook> Fights() const = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_HAS_HISTORY_H_
