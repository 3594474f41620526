// table/custom_columns.h
//
// The columns that a CustomResourceDefinition asks for (additionalPrinterColumns).

#ifndef KINFORMER_TABLE_CUSTOM_COLUMNS_H_
#define KINFORMER_TABLE_CUSTOM_COLUMNS_H_

#include <string_view>

#include "kinformer/json/json.h"

#include "table/columns.h"

namespace kinformer::internal::table {

// Returns the name and the columns of that version of the definition; name and age if it has none.
// Columns with a priority are for -o wide.
Columns CustomColumns(const json::Value& definition, std::string_view version);
// Like above, for one entry of spec.versions.
Columns CustomColumns(const json::Value& version);

}  // namespace kinformer::internal::table

#endif  // KINFORMER_TABLE_CUSTOM_COLUMNS_H_
