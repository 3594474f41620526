// kinformer/object/crd.h
//
// crd: the CustomResourceDefinition of a struct: types from its members, defaults from their
// initializers, rules from kSchema (field_schema.h), names and columns from kKind (custom_kind.h).
//
//   struct Website {
//     static constexpr kinformer::CustomKind kKind{
//         .group = "example.com",
//         .version = "v1",
//         .columns = {{.name = "Replicas", .path = ".spec.replicas"}}};
//     WebsiteSpec spec{};
//     WebsiteStatus status{};
//   };
//   std::cout << kinformer::crd::Yaml<Website>().OrExit();
//   EnsureCRD(client, kinformer::crd::Definition<Website>().OrExit()).OrExit();  // ensure_crd.h
//
// Types: integers of 32 and 64 bits have that format, others bounds; an enum is its texts; times,
// durations, quantities and IntOrString are as in Go; json::Value is anything; a generated struct
// has the fields of its kind, and metav1::Condition its rules; a struct inside itself is an object
// of any content, as schemas cannot refer to themselves. A member is optional unless kSchema says
// `required`. UnknownFields add nothing: they are for members that this program does not know.
//
// Thread-safe; nothing blocks. Counterpart: controller-gen crd.

#ifndef KINFORMER_OBJECT_CRD_H_
#define KINFORMER_OBJECT_CRD_H_

#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/kind_of_struct.h"
#include "kinformer/internal/schema_writer.h"
#include "kinformer/json/json.h"

namespace kinformer::crd {

// Returns the definitions of all kinds; structs of the same group and kind are versions of one
// definition. kInvalidArgument, with the place, if a line of kSchema or kKind does not fit: a text
// that is no JSON, a key that the items of a list lack, a column of a member that is not there.
template <class... Kinds>
Result<std::vector<json::Value>> Definitions() {
  std::vector<kinformer::internal::DefinedVersion> versions;
  (versions.push_back(kinformer::internal::VersionOf<Kinds>()), ...);
  return kinformer::internal::MakeDefinitions(std::move(versions));
}

// Returns the definition of one kind, by its struct, or by one for each version. The version that
// says `storage` is the one of stored objects; otherwise the first.
template <class... Versions>
Result<json::Value> Definition() {
  Result<std::vector<json::Value>> all = Definitions<Versions...>();
  if (!all) return std::move(all).error();
  return kinformer::internal::OnlyDefinition(*std::move(all));
}

// Returns Definitions as YAML, a document each: a manifest to apply.
template <class... Kinds>
Result<std::string> Yaml() {
  Result<std::vector<json::Value>> all = Definitions<Kinds...>();
  if (!all) return std::move(all).error();
  return kinformer::internal::DefinitionsText(*all);
}

}  // namespace kinformer::crd

#endif  // KINFORMER_OBJECT_CRD_H_
