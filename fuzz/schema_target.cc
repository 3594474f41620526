// Schemas of custom resources, and objects for them: for any input, pruning and defaulting must be
// stable, and an unchanged object must be valid, as far as a server can decide.

#include <algorithm>
#include <cstddef>
#include <string>

#include "kinformer/json/json.h"

#include "apiserver/schema/schema_check.h"
#include "apiserver/schema/schema_correlation.h"
#include "apiserver/schema/schema_fields.h"
#include "apiserver/schema/schema_validation.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {
namespace {

bool HasEmbeddedObjects(const json::Value& schema) {
  if (schema["x-kubernetes-embedded-resource"] == json::Value(true)) return true;
  return std::ranges::any_of(schema.items(), HasEmbeddedObjects) ||
         std::ranges::any_of(schema.members(), [](const json::Object::Member& member) {
           return HasEmbeddedObjects(member.second);
         });
}

}  // namespace

void FuzzSchema(std::string_view input) {
  using namespace apiserver;  // NOLINT(google-build-using-namespace)
  // {"schema": {...}, "object": {...}}
  const Result<json::Value> both = json::Parse(input, {.max_depth = 100});
  if (!both) return;
  const json::Value& source = (*both)["schema"];
  const bool structural = CheckSchema(source, "@").empty();
  (void)SchemaWarnings(source);
  const StructuralSchema schema(source);
  json::Value object = (*both)["object"];
  (void)MetadataTypeError(schema.root(), object);

  PruneObject(schema.root(), object);
  Require(UnknownFields(schema.root(), object).empty(), "what is pruned has no unknown fields");
  json::Value again = object;
  PruneObject(schema.root(), again);
  RequireEqual(again.Dump(), object.Dump(), "pruning again changes nothing");

  (void)ApplyDefaults(schema.root(), object);
  again = object;
  (void)ApplyDefaults(schema.root(), again);
  if (structural) RequireEqual(again.Dump(), object.Dump(), "defaulting again changes nothing");

  const std::size_t wrong = ValidateObject(schema.root(), object, nullptr).size();
  const std::size_t still_wrong = ValidateObject(schema.root(), object, &object).size();
  Require(still_wrong <= wrong, "an update is found wrong for no more than a creation");
  // A server cannot identify items without their keys, and does not compare embedded objects.
  if (IsUnchanged(schema.root(), object, object) && !HasEmbeddedObjects(source)) {
    Require(still_wrong == 0, "what has not changed is not wrong");
  }
}

}  // namespace kinformer::fuzz
