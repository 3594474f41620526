// cli/struct_writer.h
//
// StructWriter: writes the structs of one version of an API, from schemas.

#ifndef KINFORMER_CLI_STRUCT_WRITER_H_
#define KINFORMER_CLI_STRUCT_WRITER_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "cli/schema_lines.h"

namespace kinformer::cli {

class StructWriter {
 public:
  explicit StructWriter(bool descriptions) : descriptions_(descriptions) {}

  // Writes the struct of a kind with those inside it. `kind_line`: initializers of its CustomKind.
  void AddKind(const std::string& kind, const std::string& plural, const json::Value& schema,
               const std::string& kind_line);
  // Returns all structs so far.
  [[nodiscard]] const std::string& text() const { return text_; }
  // Returns the names of those that are kinds.
  [[nodiscard]] const std::vector<std::string>& kinds() const { return kinds_; }

 private:
  // A type in C++, and the schema that the library makes of it.
  struct Type {
    std::string name{};
    json::Value base{};
    enum class Form { kScalar, kStruct, kOther } form = Form::kOther;
  };
  // Parts of one struct in the making.
  struct Parts {
    std::string members{};
    std::string constants{};
    std::string lines{};
    std::vector<std::pair<std::string, std::string>> names{};  // in JSON, and in C++
    std::set<std::string> used{"unknown"};
    std::set<std::string> used_constants{};
  };

  Type TypeOf(const json::Value& schema, const std::string& name);
  Type ScalarType(const json::Value& schema) const;
  std::string StructFor(const json::Value& schema, const std::string& name);
  std::string WriteStruct(const json::Value& schema, const std::string& name,
                          const std::string& head, const SchemaLine& whole);
  void AddMember(const std::string& name, const json::Value& schema, bool required,
                 const std::string& owner, bool by_json_name, Parts& parts);
  // Adds to `line` what the schema says beside its type, for items and values, too.
  void Describe(const json::Value& schema, const json::Value& base, const std::string& constant,
                Parts& parts, SchemaLine& line);

  const bool descriptions_;
  std::string text_{};
  std::vector<std::string> kinds_{};
  std::set<std::string> used_{};
  std::map<std::string, std::string> structs_{};  // by the schema's text
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_STRUCT_WRITER_H_
