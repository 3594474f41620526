// apiserver/ownership/value_fields.h
//
// Fields of values: those of an object, those in which two objects differ, and the removal of
// fields that nobody owns any more.

#ifndef KINFORMER_APISERVER_OWNERSHIP_VALUE_FIELDS_H_
#define KINFORMER_APISERVER_OWNERSHIP_VALUE_FIELDS_H_

#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/ownership/field_set.h"
#include "apiserver/ownership/value_shape.h"

namespace kinformer::apiserver {

// Returns the fields that an applied object declares. Counterpart: TypedValue.ToFieldSet.
[[nodiscard]] FieldSet FieldsOf(const ValueShape& shape, const json::Value& value);

// Makes fields of an object follow a schema that has changed since: what has become a whole value
// has the owners of its parts. Counterpart: typed.ReconcileFieldSetWithSchema.
void FitTo(const ValueShape& shape, FieldSet& fields);

// Counterpart: typed.Comparison.
struct FieldChanges {
  FieldSet added{};
  FieldSet modified{};
  FieldSet removed{};
  [[nodiscard]] bool empty() const { return added.empty() && modified.empty() && removed.empty(); }
  void Add(const FieldChanges& other) {
    added.Add(other.added);
    modified.Add(other.modified);
    removed.Add(other.removed);
  }
};
[[nodiscard]] FieldChanges Compare(const ValueShape& shape, const json::Value& before,
                                   const json::Value& after);

// Removes the fields of `last` from the value that none of `kept` has. Counterpart: Updater.prune.
void Prune(const ValueShape& shape, const FieldSet& last, const std::vector<const FieldSet*>& kept,
           json::Value& value);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_OWNERSHIP_VALUE_FIELDS_H_
