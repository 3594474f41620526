// cel/cost_functions.h
//
// The costs of calls of functions at worst, by the sizes of their arguments.

#ifndef KINFORMER_CEL_COST_FUNCTIONS_H_
#define KINFORMER_CEL_COST_FUNCTIONS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cel/cost_size.h"
#include "cel/expression.h"
#include "cel/signatures.h"
#include "cel/type.h"

namespace kinformer::internal::cel {

struct CostArgument {
  const Node* node = nullptr;  // null: it is not written in the expression
  const Type* type = nullptr;
  SizeRange size{};
  bool is_sized = false;  // the size is known
  SizeRange item_size{};  // of lists
};

struct CallCost {
  std::uint64_t cost = 0;  // without that of the arguments
  std::optional<SizeRange> result{};
};

// `target`: null where the call has none. `form`: the form of the function that is called.
CallCost CostOfCall(std::string_view name, const Signature& form, const CostArgument* target,
                    std::span<const CostArgument> arguments);

// Returns the cost of sorting as many items as `keys` has by keys of this type.
CallCost CostOfSorting(const SizeRange& keys, TypeKind key);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_COST_FUNCTIONS_H_
