// table/json_path.h
//
// JSONPath as the columns of custom resources use it: ".spec.replicas",
// ".status.conditions[?(@.type=='Ready')].status".

#ifndef KINFORMER_TABLE_JSON_PATH_H_
#define KINFORMER_TABLE_JSON_PATH_H_

#include <string_view>
#include <vector>

#include "kinformer/json.h"

namespace kinformer::internal::table {

// The values that the path finds in `root`, in document order; none where it finds nothing or is
// malformed. Members by .name and ['name'], items by [0], [-1] and [*], and filters that compare
// one member with a text, number or boolean. The results live as long as `root`.
std::vector<const json::Value*> FindByPath(const json::Value& root, std::string_view path);

}  // namespace kinformer::internal::table

#endif  // KINFORMER_TABLE_JSON_PATH_H_
