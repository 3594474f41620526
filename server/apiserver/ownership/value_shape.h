// apiserver/ownership/value_shape.h
//
// ValueShape: what the schema of a kind says about a value: whether it has owners as a whole, and
// what identifies the elements of a list.

#ifndef KINFORMER_APISERVER_OWNERSHIP_VALUE_SHAPE_H_
#define KINFORMER_APISERVER_OWNERSHIP_VALUE_SHAPE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {

// A small value, which refers to the schema of a version. Without any, objects are merged by
// member, and lists are atomic.
class ValueShape {
 public:
  // Returns the shape of a whole object.
  static ValueShape Of(const ServedVersion& version);

  [[nodiscard]] ValueShape Member(std::string_view name) const;
  [[nodiscard]] ValueShape Item() const;

  // Whether the object has an owner as a whole.
  [[nodiscard]] bool IsAtomicObject() const;
  // Returns the names of the elements of a list: `k:{...}` or `v:...`; nullopt for an atomic list,
  // and for one whose elements cannot be told apart.
  [[nodiscard]] std::optional<std::vector<std::string>> NamesOf(const json::Array& items) const;
  // Whether it is a member that the schema names, and not the value of a map.
  [[nodiscard]] bool named() const { return named_; }
  // Whether Go's form of the object always has this member.
  [[nodiscard]] bool always_there() const { return always_there_; }

 private:
  const internal::MessageDescriptor* message_ = nullptr;
  const internal::FieldDescriptor* field_ = nullptr;  // of the value itself
  const SchemaNode* schema_ = nullptr;
  bool whole_custom_ = false;  // a custom object, whose metadata is built in
  bool atomic_ = false;
  bool named_ = false;
  bool always_there_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_OWNERSHIP_VALUE_SHAPE_H_
