// cli/custom_columns.h
//
// Columns for `-o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName`.

#ifndef KINFORMER_CLI_CUSTOM_COLUMNS_H_
#define KINFORMER_CLI_CUSTOM_COLUMNS_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"
#include "kinformer/json/jsonpath.h"

namespace kinformer::cli {

class CustomColumns {
 public:
  // Reads "TITLE:PATH,TITLE:PATH". Errors are kInvalidArgument and name the column.
  static Result<CustomColumns> Parse(std::string_view text);
  // Reads a line of titles, and below it a line of paths, both with blanks between columns.
  static Result<CustomColumns> ParseFile(std::string_view text);

  [[nodiscard]] const std::vector<std::string>& titles() const { return titles_; }
  // Returns a text for each column: several values stand apart by commas, none is "<none>".
  [[nodiscard]] Result<std::vector<std::string>> Cells(const json::Value& object) const;

 private:
  Result<void> Add(std::string_view title, std::string_view path);

  std::vector<std::string> titles_;
  std::vector<json::JSONPath> paths_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_CUSTOM_COLUMNS_H_
