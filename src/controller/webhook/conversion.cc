#include "kinformer/webhook/conversion.h"

namespace kinformer {
namespace {

GroupVersionKind KindOfObject(const json::Value& object) {
  const std::string& version = object["apiVersion"].StringOrEmpty();
  const std::size_t slash = version.find('/');
  const bool core = slash == std::string::npos;
  return {.group = core ? "" : version.substr(0, slash),
          .version = core ? version : version.substr(slash + 1),
          .kind = object["kind"].StringOrEmpty()};
}

// Completes the result of a conversion: only labels and annotations of the metadata may change.
json::Value Finished(const json::Value& original, const GroupVersionKind& kind, json::Value made) {
  json::Value metadata = original["metadata"];
  for (const char* name : {"labels", "annotations"}) {
    const json::Value& value = std::as_const(made)["metadata"][name];
    if (value.size() == 0) {
      metadata.Erase(name);
    } else {
      metadata.Set(name, value);
    }
  }
  made.Set("apiVersion", kind.apiVersion());
  made.Set("kind", kind.kind);
  made.Set("metadata", std::move(metadata));
  return made;
}

Error NoWay(const GroupVersionKind& from, std::string_view to) {
  return Error(Reason::kInvalidArgument, "there is no conversion of " + from.kind + " from " +
                                             from.apiVersion() + " to " + std::string(to) +
                                             ": add one to the Conversions");
}

}  // namespace

Result<void> Conversions::Add(const GroupVersionKind& from, const GroupVersionKind& to,
                              Function function) {
  if (from.group != to.group || from.kind != to.kind || from.version == to.version) {
    return Error(Reason::kInvalidArgument,
                 "a conversion is between two versions of one kind, not from a " + from.kind +
                     " of " + from.apiVersion() + " to a " + to.kind + " of " + to.apiVersion());
  }
  auto& of_kind = functions_[from];
  if (of_kind.contains(to.version)) {
    return Error(Reason::kAlreadyExists, "there is a conversion of " + from.kind + " from " +
                                             from.apiVersion() + " to " + to.apiVersion());
  }
  of_kind[to.version] = std::move(function);
  return {};
}

const Conversions::Function* Conversions::Find(const GroupVersionKind& from,
                                               std::string_view version) const {
  const auto kind = functions_.find(from);
  if (kind == functions_.end()) return nullptr;
  const auto found = kind->second.find(version);
  return found == kind->second.end() ? nullptr : &found->second;
}

Result<json::Value> Conversions::Convert(const json::Value& object,
                                         std::string_view apiVersion) const {
  const GroupVersionKind from = KindOfObject(object);
  if (from.apiVersion() == apiVersion) return object;
  const GroupVersionKind to =
      KindOfObject(json::Value::MakeObject({{"apiVersion", apiVersion}, {"kind", from.kind}}));
  if (to.group != from.group) return NoWay(from, apiVersion);
  if (const Function* direct = Find(from, to.version)) {
    Result<json::Value> made = (*direct)(object);
    if (!made) return made;
    return Finished(object, to, *std::move(made));
  }
  const auto ways = functions_.find(from);
  if (ways == functions_.end()) return NoWay(from, apiVersion);
  for (const auto& [version, first] : ways->second) {
    const GroupVersionKind hub{.group = from.group, .version = version, .kind = from.kind};
    const Function* second = Find(hub, to.version);
    if (second == nullptr) continue;
    Result<json::Value> between = first(object);
    if (!between) return between;
    const json::Value middle = Finished(object, hub, *std::move(between));
    Result<json::Value> made = (*second)(middle);
    if (!made) return made;
    return Finished(middle, to, *std::move(made));
  }
  return NoWay(from, apiVersion);
}

}  // namespace kinformer
