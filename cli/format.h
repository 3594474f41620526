// cli/format.h
//
// The form in which `get` and `watch` print objects: their options about it, checked and parsed.

#ifndef KINFORMER_CLI_FORMAT_H_
#define KINFORMER_CLI_FORMAT_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"
#include "kinformer/json/jsonpath.h"

#include "cli/command_line.h"
#include "cli/custom_columns.h"
#include "cli/go_template.h"

namespace kinformer::cli {

struct FormatFlags {
  std::string output{};     // -o: "", "wide", "jsonpath={.items}"
  std::string template_{};  // for -o jsonpath and the like without a template
  bool allow_missing_template_keys = true;
  bool show_managed_fields = false;
  bool show_labels = false;
  bool show_kind = false;
  bool no_headers = false;
  std::vector<std::string> label_columns{};  // each with commas
};

void AddFormatFlags(Command& command, FormatFlags& flags);

struct Format {
  enum class Form { kTable, kWide, kName, kJson, kYaml, kJsonPath, kCustomColumns, kGoTemplate };
  Form form = Form::kTable;
  std::optional<json::JSONPath> path{};
  std::optional<CustomColumns> columns{};
  std::shared_ptr<const GoTemplate> go_template{};
  bool show_managed_fields = false;
  bool show_labels = false;
  bool show_kind = false;
  bool no_headers = false;
  std::vector<std::string> label_columns{};

  [[nodiscard]] bool is_table() const { return form == Form::kTable || form == Form::kWide; }
  // kubectl takes metadata.managedFields out of JSON and YAML only.
  [[nodiscard]] bool keeps_managed_fields() const {
    return show_managed_fields || path || columns || go_template;
  }
  // Whether it is printed in columns.
  [[nodiscard]] bool has_rows() const { return is_table() || form == Form::kCustomColumns; }
};

// Reads the files that the flags name. Errors are kInvalidArgument, and kConfig for a file.
Result<Format> ReadFormat(const FormatFlags& flags);

// Prints documents, one after another. REQUIRES: the form is kJson, kYaml, kJsonPath or
// kGoTemplate. Not thread-safe.
class DocumentPrinter {
 public:
  explicit DocumentPrinter(const Format& format) : format_(format) {}
  // Returns the text, with the line ends that belong to it.
  Result<std::string> Print(const json::Value& document);

 private:
  const Format& format_;
  bool has_printed_ = false;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_FORMAT_H_
