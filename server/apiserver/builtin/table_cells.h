// apiserver/builtin/table_cells.h
//
// Helpers for the tables recorded from a real server (required_table.h, value_table.h): lists in
// their cells, and members that count as absent.

#ifndef KINFORMER_APISERVER_BUILTIN_TABLE_CELLS_H_
#define KINFORMER_APISERVER_BUILTIN_TABLE_CELLS_H_

#include <string_view>
#include <vector>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Returns the words that | divides: parts of `cell`, which must outlive them.
std::vector<std::string_view> WordsOf(std::string_view cell);

// Return whether the field is absent in Go's sense: it has its zero value, unless it is a pointer.
bool IsAbsent(const json::Value& object, const internal::FieldDescriptor& field);
bool IsAbsentValue(const json::Value& value, const internal::FieldDescriptor& field);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_TABLE_CELLS_H_
