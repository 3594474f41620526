// cli/custom_columns.h
//
// The columns that a CustomResourceDefinition asks for (additionalPrinterColumns).

#ifndef KINFORMER_CLI_CUSTOM_COLUMNS_H_
#define KINFORMER_CLI_CUSTOM_COLUMNS_H_

#include <string_view>

#include "kinformer/json.h"

#include "cli/columns.h"

namespace kinformer::cli {

// NAME and those of that version; NAME and AGE where it has none. Columns with a priority are for -o wide.
Columns CustomColumns(const json::Value& definition, std::string_view version);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_CUSTOM_COLUMNS_H_
