// Merge patches (RFC 7386), with the behaviour of API servers.

#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/request/member_changes.h"
#include "apiserver/request/patch.h"
#include "wire/json_nulls.h"

namespace kinformer::apiserver {
namespace {

// `object` and `patch` are objects.
void MergeInto(const json::Value& patch, json::Value& object) {
  MemberChanges changes;
  for (const auto& [name, value] : patch.members()) {
    json::Value* const there = object.Find(name);
    if (value.is_null()) {
      changes.Erase(name);
    } else if (there == nullptr) {
      json::DropNulls(changes.Add(name, value));
    } else if (there->is_object() && value.is_object()) {
      MergeInto(value, *there);
    } else {
      const bool keeps = there->is_object();  // keeps nulls in a list that replaces an object
      *there = value;
      if (!keeps) json::DropNulls(*there);
    }
  }
  std::move(changes).ApplyTo(object);
}

}  // namespace

Result<void> ApplyMergePatch(const json::Value& patch, json::Value& document) {
  if (!patch.is_object()) return BadRequestError("a merge patch must be an object");
  MergeInto(patch, document);
  return {};
}

}  // namespace kinformer::apiserver
