// cli/schema_lines.h
//
// The lines of kSchema (kinformer/object/field_schema.h) for a schema: what it says beside the type
// of a member.

#ifndef KINFORMER_CLI_SCHEMA_LINES_H_
#define KINFORMER_CLI_SCHEMA_LINES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::cli {

// Initializers of one FieldSchema. A value.
class SchemaLine {
 public:
  // `member` is its name; empty: the struct.
  explicit SchemaLine(std::string_view member = {});

  // Sets an initializer: Set("minimum", "0").
  void Set(std::string_view name, std::string text);
  // Sets all that `schema` says and `base`, the schema of the type, does not. Without default; with
  // a description only if `descriptions` says so. Inner schemas are those of the type.
  void SetDifference(const json::Value& schema, const json::Value& base, bool descriptions);
  // Whether it says anything of its member.
  [[nodiscard]] bool empty() const;
  // Returns "{.member = "page", .max_length = 65536}".
  [[nodiscard]] std::string Text(std::string_view indent) const;

 private:
  std::map<int, std::string> set_;  // by the place in FieldSchema
};

// Returns the texts as a list in one, "a, b"; nullopt if that would be read in another way.
std::optional<std::string> ListOf(const json::Value& texts);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SCHEMA_LINES_H_
