// apiserver/registry/table_convertor.h
//
// Columns and cells of kubectl's tables.

#ifndef KINFORMER_APISERVER_REGISTRY_TABLE_CONVERTOR_H_
#define KINFORMER_APISERVER_REGISTRY_TABLE_CONVERTOR_H_

#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"
#include "table/columns.h"

namespace kinformer::apiserver {

// Returns [{"name":"Name","type":"string","format":"name",...},...]
std::string ColumnDefinitionsJson(const ResourceAt& at);

// Returns the cells of a row, in the order of the columns; `object` is in its stored form.
json::Value TableCells(const ResourceAt& at, const json::Value& object, WallTime now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_TABLE_CONVERTOR_H_
