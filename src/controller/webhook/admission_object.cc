#include "kinformer/internal/admission_object.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/internal/block_builder.h"

namespace kinformer::internal {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

std::string Text(const json::Value& item) { return item.Dump({.sort_keys = true}); }

// Returns for each item of `after` the index of an equal item of `was`: the same index if possible,
// else the first unused one, or kNowhere. No index is used twice. Lists may be long, so only items
// that differ at their index are searched for, by their texts.
std::vector<std::size_t> PlacesBefore(const json::Array& was, const json::Array& after) {
  std::vector<std::size_t> places(after.size(), kNowhere);
  std::unordered_map<std::string, std::vector<std::size_t>> left;  // the smallest index is last
  for (std::size_t i = was.size(); i-- > 0;) {
    if (i < after.size() && was[i] == after[i]) {
      places[i] = i;
    } else {
      left[Text(was[i])].push_back(i);
    }
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (places[i] != kNowhere) continue;
    const auto found = left.find(Text(after[i]));
    if (found == left.end() || found->second.empty()) continue;
    places[i] = found->second.back();
    found->second.pop_back();
  }
  return places;
}

// Returns `after`, with the fields that the original has in items equal to those of `before`, even
// if they moved. Any other item counts as changed if the lists have equal lengths and the old item
// at its index was not moved; otherwise it is new.
json::Value ChangedItems(const json::Value& original, const json::Value& before,
                         const json::Value& after) {
  const json::Array& whole = original.items();
  const json::Array& was = before.items();
  const json::Array& now = after.items();
  if (whole.size() != was.size()) return after;
  const std::vector<std::size_t> places = PlacesBefore(was, now);
  std::vector<bool> found(was.size());
  for (const std::size_t place : places) {
    if (place != kNowhere) found[place] = true;
  }
  json::Value out = json::Value::MakeArray();
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (places[i] != kNowhere) {
      out.Append(whole[places[i]]);
    } else if (now.size() == was.size() && !found[i]) {
      out.Append(WithChanges(whole[i], was[i], now[i]));
    } else {
      out.Append(now[i]);
    }
  }
  return out;
}

}  // namespace

Result<ObjectRef> ReadAdmissionObject(const KindInfo& type, const json::Value& object) {
  if (!object.is_object()) {
    return Error(Reason::kBadRequest, "there is no content to decode");
  }
  const std::string& kind = object["kind"].StringOrEmpty();
  const std::string& version = object["apiVersion"].StringOrEmpty();
  // A missing kind or apiVersion is the one of the handler.
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
    if (!original.contains(name)) wanted.Erase(name);  // the handler's type determines them
  }
  return admission::PatchResponse(original, wanted);
}

}  // namespace kinformer::internal
