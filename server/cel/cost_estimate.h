// cel/cost_estimate.h
//
// EstimatedCost: what an expression costs at worst, before it is ever evaluated. kube-apiserver
// refuses rules by it, so the sum of each step is the same as there (cel-go's checker.Cost).

#ifndef KINFORMER_CEL_COST_ESTIMATE_H_
#define KINFORMER_CEL_COST_ESTIMATE_H_

#include <cstddef>
#include <cstdint>

#include "cel/expression.h"
#include "cel/type.h"

namespace kinformer::internal::cel {

// `self`: the type whose max_size tells how long the values of variables are. `variables`: how many
// of them there are. REQUIRES: the tree has been checked. Returns the largest number if there is no
// bound.
std::uint64_t EstimatedCost(const Node& root, const Type& self, std::size_t variables);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_COST_ESTIMATE_H_
