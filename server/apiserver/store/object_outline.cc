#include "apiserver/store/object_outline.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "apiserver/store/metadata_order.h"
#include "wire/json_bitmap.h"
#include "wire/json_scanner.h"

namespace kinformer::apiserver {
namespace {

// A body with its opening brace added, for parsing.
class ObjectText {
 public:
  explicit ObjectText(std::string_view body) {
    text_.reserve(body.size() + 1);
    text_.append("{").append(body);
    bitmap_.Read(text_);
  }
  ObjectText(const ObjectText&) = delete;
  ObjectText& operator=(const ObjectText&) = delete;

  [[nodiscard]] wire::JsonMembers members() const { return {text_, bitmap_}; }
  [[nodiscard]] wire::JsonMembers MembersOf(std::string_view value) const {
    return {value, bitmap_};
  }

 private:
  std::string text_;
  wire::JsonBitmap bitmap_;
};

// Text written by this server always parses.
json::Value Parsed(std::string_view value) { return json::Parse(value).value_or(json::Value()); }

class Rewriter {
 public:
  explicit Rewriter(std::string& out) : out_(out) {}

  void Put(std::string_view name, std::string_view value) {
    if (!first_) out_ += ',';
    first_ = false;
    // `name`: as written in the text, with its escapes, or without any.
    out_.append("\"").append(name).append("\":").append(value);
  }
  void Put(std::string_view name, const json::Value& value) {
    Put(name, std::string_view(value.Dump()));
  }

 private:
  std::string& out_;
  bool first_ = true;
};

// Returns the members of `after` that neither `before` nor the text of the object has, in the order
// in which they are written.
std::vector<const json::Object::Member*> Added(const json::Value& before, const json::Value& after,
                                               bool metadata) {
  std::vector<const json::Object::Member*> added;
  for (const auto& member : after.members()) {
    if (!before.contains(member.first) && !member.second.is_null()) added.push_back(&member);
  }
  if (metadata) {
    std::stable_sort(added.begin(), added.end(), [](const auto* a, const auto* b) {
      return MetadataRank(a->first) < MetadataRank(b->first);
    });
  }
  return added;
}

// Rewrites an object or one of its members, whose outline has changed.
void Rewrite(const ObjectText& object, std::string_view value, const json::Value& before,
             const json::Value& after, bool metadata, std::string& out) {
  const std::vector<const json::Object::Member*> added = Added(before, after, metadata);
  auto next = added.begin();
  out += '{';
  Rewriter members(out);
  wire::JsonMembers old = object.MembersOf(value);
  while (old.Next()) {
    while (metadata && next != added.end() &&
           MetadataRank((*next)->first) < MetadataRank(old.name())) {
      members.Put((*next)->first, (*next)->second);
      ++next;
    }
    if (!before.contains(old.name())) {
      members.Put(old.name(), old.value());
    } else if (const json::Value* now = after.Find(old.name()); now != nullptr && !now->is_null()) {
      members.Put(old.name(), *now);
    }
  }
  for (; next != added.end(); ++next) members.Put((*next)->first, (*next)->second);
  out += '}';
}

}  // namespace

json::Value OutlineOf(std::string_view body, std::span<const OutlineMember> members) {
  const ObjectText object(body);
  json::Value outline = json::Value::MakeObject();
  wire::JsonMembers tops = object.members();
  while (tops.Next()) {
    bool some = false;
    bool all = false;
    for (const OutlineMember& member : members) {
      if (member.of != tops.name()) continue;
      some = true;
      all = all || member.name.empty();
    }
    if (!some) continue;
    if (all) {
      outline.Set(tops.name(), Parsed(tops.value()));
      continue;
    }
    json::Value part = json::Value::MakeObject();
    wire::JsonMembers inner = object.MembersOf(tops.value());
    while (inner.Next()) {
      for (const OutlineMember& member : members) {
        if (member.of == tops.name() && member.name == inner.name()) {
          part.Set(inner.name(), Parsed(inner.value()));
        }
      }
    }
    outline.Set(tops.name(), std::move(part));
  }
  return outline;
}

std::string WithOutline(std::string_view body, const json::Value& before,
                        const json::Value& after) {
  const ObjectText object(body);
  std::string out;
  out.reserve(body.size() + 256);
  Rewriter tops(out);
  wire::JsonMembers old = object.members();
  while (old.Next()) {
    const json::Value* was = before.Find(old.name());
    const json::Value* is = after.Find(old.name());
    if (is == nullptr || was == nullptr || *was == *is) {
      tops.Put(old.name(), old.value());
    } else if (old.value().front() != '{') {
      tops.Put(old.name(), *is);
    } else {
      tops.Put(old.name(), std::string_view());
      Rewrite(object, old.value(), *was, *is, old.name() == "metadata", out);
    }
  }
  for (const auto& [name, value] : after.members()) {
    if (!before.contains(name)) tops.Put(name, value);
  }
  out += '}';
  return out;
}

}  // namespace kinformer::apiserver
