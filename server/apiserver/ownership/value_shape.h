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
  // Whether elements of the list have owners of their own.
  [[nodiscard]] bool MergesItems() const;
  // Returns the members that name its elements, in alphabetical order; none: their values do.
  [[nodiscard]] std::vector<std::string_view> Keys() const;
  // Returns the names of the elements of a list: `k:{...}` or `v:...`, perhaps several times the
  // same one; nullopt for an atomic list.
  [[nodiscard]] std::optional<std::vector<std::string>> NamesOf(const json::Array& items) const;
  // Appends the name of one element of a list that is not atomic, and whose Keys() are these.
  void AppendName(const std::vector<std::string_view>& keys, const json::Value& item,
                  std::string& out) const;
  // Whether it is a member that the schema names, and not the value of a map.
  [[nodiscard]] bool named() const { return named_; }
  // Whether Go's form of the object always has this member.
  [[nodiscard]] bool always_there() const { return always_there_; }
  // Whether it is a whole custom object, whose schema can change.
  [[nodiscard]] bool whole_custom() const { return whole_custom_; }

 private:
  void AppendKey(const std::vector<std::string_view>& keys, const json::Value& item,
                 std::string& out) const;
  // Returns the value of a key, or its default; null: neither.
  [[nodiscard]] const json::Value* KeyPart(const json::Value& item, std::string_view member) const;

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
