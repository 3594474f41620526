// table/table_cells.h
//
// Texts for the rows of tables, from an object's JSON.

#ifndef KINFORMER_TABLE_TABLE_CELLS_H_
#define KINFORMER_TABLE_TABLE_CELLS_H_

#include <string>

#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

namespace kinformer::internal::table::cells {

std::string Name(const json::Value& object);
std::string Age(const json::Value& object, WallTime now);
std::string Number(const json::Value& value);  // "0" if it is not one
std::string Scalar(const json::Value& value);  // a string or number as text, else ""
std::string TrueFalse(const json::Value& value);
std::string OrNone(std::string text, const char* none = "<none>");
// Appends the item, after a comma if the list is not empty.
void Join(std::string& list, const std::string& item);
std::string Joined(const json::Value& strings);
// Returns "a=b,c=d", or "<none>".
std::string Labels(const json::Value& labels);
// Formats a label selector with its expressions: "app=web,tier in (a,b),!old".
std::string Selector(const json::Value& selector);
// Returns the member `field` of all containers of a pod's spec.
std::string ContainerField(const json::Value& pod_spec, const char* field);
// Returns "RWO,ROX".
std::string AccessModes(const json::Value& modes);

}  // namespace kinformer::internal::table::cells

#endif  // KINFORMER_TABLE_TABLE_CELLS_H_
