// cli/sorting.h
//
// The order of objects for --sort-by.

#ifndef KINFORMER_CLI_SORTING_H_
#define KINFORMER_CLI_SORTING_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {

// Returns the positions of the objects in the order of the first value at `path`, a JSONPath such
// as .spec.nodeName: numbers by value, texts bytewise, or by amount where all are quantities
// ("500Mi", "2"). Objects without the value come first; equal ones keep their order.
// kInvalidArgument: `path` is malformed, no object has the value, or it is an object or array.
Result<std::vector<std::size_t>> OrderBy(std::string_view path,
                                         const std::vector<const json::Value*>& objects);

// Whether OrderBy can read the path.
Result<void> CheckSortBy(std::string_view path);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SORTING_H_
