// sinks/tables/field_path.h
//
// FieldPath: the way to one field of an object: .spec.containers[0].image.

#ifndef KINFORMER_SINKS_TABLES_FIELD_PATH_H_
#define KINFORMER_SINKS_TABLES_FIELD_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::internal::sinks {

// Names of members, and positions of items.
using FieldPath = std::vector<std::variant<std::string, std::size_t>>;

// Reads .a.b[0].c, with \. for a dot in a name, and ['a.b'] for a name in quotes. Errors are
// kInvalidArgument and say where.
Result<FieldPath> ParseFieldPath(std::string_view text);

}  // namespace kinformer::internal::sinks

#endif  // KINFORMER_SINKS_TABLES_FIELD_PATH_H_
