// apiserver/schema/structural_schema.h
//
// StructuralSchema: the openAPIV3Schema of one version of a custom resource, parsed once into a
// tree for the validation of writes. Counterpart: apiextensions-apiserver's schema.Structural.

#ifndef KINFORMER_APISERVER_SCHEMA_STRUCTURAL_SCHEMA_H_
#define KINFORMER_APISERVER_SCHEMA_STRUCTURAL_SCHEMA_H_

#include <string>

#include "kinformer/json/json.h"

#include "apiserver/schema/schema_node.h"

namespace kinformer::apiserver {

// Returns equal texts for values that an enum treats as equal.
std::string EnumerationText(const json::Value& value);

// Immutable and thread-safe; shared by all writes under way.
class StructuralSchema {
 public:
  // Parses the known parts of `schema`; CheckSchema (schema_check.h) reports problems beforehand.
  // Ignores parts deeper than kMaxSchemaDepth.
  explicit StructuralSchema(const json::Value& schema);

  // Returns the root alone, without rules (x-kubernetes-validations).
  static SchemaNode Parse(const json::Value& schema);

  [[nodiscard]] const SchemaNode& root() const { return root_; }
  // The schema as written in the definition.
  [[nodiscard]] const json::Value& source() const { return source_; }

 private:
  json::Value source_;
  SchemaNode root_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_STRUCTURAL_SCHEMA_H_
