// apiserver/ownership/field_set.h
//
// FieldSet: a set of fields of an object, in the form of metadata.managedFields (FieldsV1).

#ifndef KINFORMER_APISERVER_OWNERSHIP_FIELD_SET_H_
#define KINFORMER_APISERVER_OWNERSHIP_FIELD_SET_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// A node stands for a field. Its children have the names of FieldsV1: `f:spec` (a member),
// `k:{"name":"app"}` (an element of a list with keys), `v:"x"` (an element of a set). A child
// without fields is never kept. Thread-compatible. Counterpart: fieldpath.Set.
struct FieldSet {
  bool owned = false;  // the field itself is in the set
  std::map<std::string, FieldSet, std::less<>> children{};

  [[nodiscard]] bool empty() const { return !owned && children.empty(); }
  bool operator==(const FieldSet&) const = default;

  // Returns null if no field at or below the name is in the set.
  [[nodiscard]] const FieldSet* Find(std::string_view name) const;
  // Adds the fields below a name.
  void Put(std::string name, FieldSet fields);
  // Adds and removes the fields of another set, each for itself.
  void Add(const FieldSet& other);
  void Subtract(const FieldSet& other);
  // Removes the field alone, or with all below it.
  void Remove(std::string_view first, std::string_view second);
  void RemoveAll(std::string_view first) { children.erase(std::string(first)); }
  // Removes the fields of another set, with all below them.
  void RemoveBelow(const FieldSet& other);
  // Returns the fields that are in both.
  [[nodiscard]] FieldSet Common(const FieldSet& other) const;
  // Returns the paths of all fields, as errors show them: `.spec.containers[name="app"].image`.
  [[nodiscard]] std::vector<std::string> Paths() const;

  [[nodiscard]] json::Value ToJson() const;
  // Ignores what is no FieldsV1.
  [[nodiscard]] static FieldSet FromJson(const json::Value& fields);
};

// Returns how errors show a field of that name, which is that of a child: `.spec`,
// `[name="app"]`, `[="x"]`.
[[nodiscard]] std::string PathElement(std::string_view name);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_OWNERSHIP_FIELD_SET_H_
