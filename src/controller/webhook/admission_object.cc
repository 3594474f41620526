#include "kinformer/internal/admission_object.h"

#include <algorithm>
#include <utility>

#include "kinformer/internal/block_builder.h"

namespace kinformer::internal {
namespace {

// Item by item where none was added or removed; else `after`, whose items take the place of equal
// ones of `before` with all that the original has in them.
json::Value ChangedItems(const json::Value& original, const json::Value& before,
                         const json::Value& after) {
  const json::Array& was = before.items();
  json::Value out = json::Value::MakeArray();
  const bool known = original.items().size() == was.size();
  const bool aligned = known && after.items().size() == was.size();
  for (std::size_t i = 0; i < after.items().size(); ++i) {
    const json::Value& item = after.items()[i];
    if (aligned) {
      out.Append(WithChanges(original.items()[i], was[i], item));
      continue;
    }
    const auto same = known ? std::ranges::find(was, item) : was.end();
    out.Append(same == was.end() ? item
                                 : original.items()[static_cast<std::size_t>(same - was.begin())]);
  }
  return out;
}

}  // namespace

Result<ObjectRef> ReadAdmissionObject(const TypeInfo& type, const json::Value& object) {
  if (!object.is_object()) {
    return Error(Reason::kBadRequest, "there is no content to decode");
  }
  const std::string& kind = object["kind"].StringOrEmpty();
  const std::string& version = object["apiVersion"].StringOrEmpty();
  // What the object does not say is what the handler is for.
  if ((!kind.empty() && kind != type.kind) || (!version.empty() && version != type.apiVersion())) {
    return Error(Reason::kBadRequest, "expected a " + std::string(type.kind) + " of " +
                                          type.apiVersion() + " and got a " + kind + " of " +
                                          version +
                                          ": do the rules of the webhook's configuration name "
                                          "another resource than its handler is for?");
  }
  Result<ObjectRef> read = BuildFromJson(type, object.Dump());
  if (!read) return Error(Reason::kBadRequest, read.error().message());
  return read;
}

json::Value WithChanges(const json::Value& original, const json::Value& before,
                        const json::Value& after) {
  if (before == after) return original;
  if (before.is_array() && after.is_array()) return ChangedItems(original, before, after);
  if (!before.is_object() || !after.is_object() || !original.is_object()) return after;
  json::Value out = original;
  for (const auto& [name, value] : before.members()) {
    if (!after.contains(name)) out.Erase(name);
  }
  for (const auto& [name, value] : after.members()) {
    const json::Value& was = before[name];
    if (before.contains(name) && was == value) continue;
    out.Set(name, WithChanges(original[name], was, value));
  }
  return out;
}

admission::Response ChangedObjectResponse(const json::Value& original, const std::string& before,
                                          const std::string& after, bool exactly) {
  const Result<json::Value> from = json::Parse(before);
  if (!from) return admission::Errored(500, from.error());
  const Result<json::Value> to = json::Parse(after);
  if (!to) return admission::Errored(500, to.error());
  if (!exactly) return admission::PatchResponse(original, WithChanges(original, *from, *to));
  json::Value wanted = *to;
  for (const char* name : {"apiVersion", "kind"}) {
    if (!original.contains(name)) wanted.Erase(name);  // the handler's type says them anyway
  }
  return admission::PatchResponse(original, wanted);
}

}  // namespace kinformer::internal
