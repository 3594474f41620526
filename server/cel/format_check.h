// cel/format_check.h
//
// CheckFormat: whether what a call of format is given fits its format, as far as can be told before
// it is evaluated.

#ifndef KINFORMER_CEL_FORMAT_CHECK_H_
#define KINFORMER_CEL_FORMAT_CHECK_H_

#include <vector>

#include "cel/expression.h"
#include "cel/parser.h"

namespace kinformer::internal::cel {

// Only a literal format with a literal list is looked at. REQUIRES: types have been checked.
void CheckFormat(const Node& call, std::vector<Problem>& problems);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_FORMAT_CHECK_H_
