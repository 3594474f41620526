// kinformer/client/managedfields.h
//
// managedfields: which fields of an object a manager owns, as metadata.managedFields says, and the
// document that would apply exactly these.
//
//   json::Value mine = managedfields::Extract(live, "web-operator").OrExit();
//   mine.Ensure("spec", "replicas") = 5;
//   deployments.Patch("web", {PatchType::kApply, mine.Dump()}, {.fieldManager = "web-operator"})
//       .OrExit();
//
// Counterparts: managedfields.ExtractInto of apimachinery and the Extract functions of client-go's
// apply configurations; fieldpath.Set of structured-merge-diff.

#ifndef KINFORMER_CLIENT_MANAGEDFIELDS_H_
#define KINFORMER_CLIENT_MANAGEDFIELDS_H_

#include <map>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::managedfields {

// A set of fields, in the form of FieldsV1: a tree whose steps are "f:NAME" (a member), "k:{...}"
// (the item of a list with these keys), "v:VALUE" (a value of a list that is a set) and "i:NUMBER"
// (a position). A value; thread-compatible. Counterpart: fieldpath.Set.
class FieldSet {
 public:
  // Orders steps as API servers write them: members, keys, values, positions.
  struct StepOrder {
    bool operator()(const std::string& a, const std::string& b) const;
  };
  struct Node;
  using Nodes = std::map<std::string, Node, StepOrder>;
  // One step: a field, and those below it.
  struct Node {
    bool member = false;  // the field itself is in the set: "." or {}
    Nodes children{};
  };

  FieldSet() = default;
  // Reads a fieldsV1. kDecode: a step has another form, or its value is no object.
  static Result<FieldSet> FromFieldsV1(const json::Value& fields);
  [[nodiscard]] json::Value ToFieldsV1() const;

  [[nodiscard]] bool Empty() const { return nodes_.empty(); }
  [[nodiscard]] FieldSet Union(const FieldSet& other) const;
  [[nodiscard]] FieldSet Intersection(const FieldSet& other) const;
  // Returns the fields that have no further ones below them.
  [[nodiscard]] FieldSet Leaves() const;
  [[nodiscard]] const Nodes& nodes() const { return nodes_; }

 private:
  Nodes nodes_{};
};

// Returns the part of `object` at these fields, each with all that is below it. Items of lists come
// in the order of the object, with the keys that identify them. Fields that the object does not
// have are omitted.
[[nodiscard]] json::Value Extracted(const json::Value& object, const FieldSet& fields);

// Returns a document with the fields that `field_manager` has applied, whole or of a subresource
// ("status"), and with the object's apiVersion, kind, name and namespace; nothing more if it has
// applied none. To apply a change, change this document and apply it: what it lacks of them the
// server removes. Reads the entry with operation Apply; the fields are those of its apiVersion,
// which should be the object's. kDecode: managedFields are malformed.
[[nodiscard]] Result<json::Value> Extract(const json::Value& object, std::string_view field_manager,
                                          std::string_view subresource = "");

}  // namespace kinformer::managedfields

#endif  // KINFORMER_CLIENT_MANAGEDFIELDS_H_
