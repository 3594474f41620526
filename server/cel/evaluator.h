// cel/evaluator.h
//
// Evaluation: computes a checked tree, within a budget.

#ifndef KINFORMER_CEL_EVALUATOR_H_
#define KINFORMER_CEL_EVALUATOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/expression.h"
#include "cel/value.h"

namespace kinformer::internal::cel {

// The error of an evaluation that cost more than it may.
inline constexpr std::string_view kOverBudget = "operation cancelled: actual cost limit exceeded";

// One evaluation. Errors are values; `a || b` and `a && b` ignore the error of one side if the
// other decides.
class Evaluation {
 public:
  // `budget`: in units of about 30 ns; the names are those of cel-go's cost model.
  Evaluation(std::size_t slots, std::uint64_t budget) : slots_(slots), budget_(budget) {}

  void Set(std::size_t slot, Value value) { slots_[slot] = std::move(value); }
  Value Run(const Node& node);

  // Counts the work of a function. Returns false, and evaluation ends, if it is too much.
  bool Charge(std::uint64_t cost) {
    cost_ += cost;
    return cost_ <= budget_;
  }
  // The same for a text that is read or written.
  bool ChargeText(std::size_t bytes) { return Charge(bytes / 10 + 1); }
  [[nodiscard]] std::uint64_t cost() const { return cost_; }
  [[nodiscard]] bool exhausted() const { return cost_ > budget_; }
  static Value OverBudget() { return Value::Error(std::string(kOverBudget)); }

 private:
  Value Evaluate(const Node& node);
  static Value Variable(Value& slot);
  Value Select(const Node& node);
  Value Has(const Node& node);
  Value Call(const Node& node);
  Value Logic(const Node& node);
  Value List(const Node& node);
  Value Map(const Node& node);
  Value Message(const Node& node);
  Value MacroOf(const Node& node);
  Value OverItems(const Node& node, const Value& range);
  // Results of a macro so far.
  struct Found {
    std::vector<Value> items{};
    std::vector<std::pair<Value, Value>> entries{};
    std::optional<Value> error{};  // of a condition, which a later item may make irrelevant
    std::size_t count = 0;
  };
  // Takes the macro's value for one item. Returns the macro's value if that is decided.
  std::optional<Value> Take(const Node& node, Value value, Found& found);
  std::optional<Value> TakeEntries(const Value& map, Found& found);
  // Returns the macro's value, once all items have been taken.
  Value Whole(const Node& node, const Value& range, Found found);
  // Returns the items in the order of their keys.
  Value Sorted(const Value& range, std::vector<Value> keys);
  Value OverOptional(const Node& node, const Value& range);
  // Sets the variables of a macro to the i-th item.
  void SetItem(const Node& node, const Value& range, std::size_t index);

  std::vector<Value> slots_;
  std::uint64_t budget_;
  std::uint64_t cost_ = 0;
};

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_EVALUATOR_H_
