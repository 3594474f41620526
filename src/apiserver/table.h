// apiserver/table.h
//
// What kubectl's tables show of a resource.

#ifndef KINFORMER_SRC_APISERVER_TABLE_H_
#define KINFORMER_SRC_APISERVER_TABLE_H_

#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/json.h"

#include "apiserver/columns.h"
#include "apiserver/resource_table.h"

namespace kinformer::apiserver {

// [{"name":"Name","type":"string","format":"name",...},...]
std::string ColumnDefinitionsJson(const ResourceAt& at);

// The cells of one row, in the order of the columns; `object` is as it is stored.
json::Value TableCells(const ResourceAt& at, const json::Value& object, WallTime now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_H_
