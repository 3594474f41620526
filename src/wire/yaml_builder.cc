#include "wire/yaml_builder.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "wire/json_depth.h"
#include "wire/json_text.h"
#include "wire/yaml_scalar.h"

namespace kinformer::yaml {
namespace {

using json::Value;

constexpr std::size_t kMaxNodes = 4'000'000;
// Aliases multiply: a few lines can expand to gigabytes of nodes or texts. This limits the bytes of
// all copies made by anchors, aliases and <<.
constexpr std::size_t kMaxCopiedBytes = std::size_t{32} << 20;
// Size of a value in memory, without its text.
constexpr std::size_t kNodeBytes = sizeof(Value);
constexpr std::size_t kMerged = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kStandardTag = "tag:yaml.org,2002:";

Stop TooDeep(const Mark& mark) {
  return Stop{mark, "nested deeper than " + std::to_string(json::kMaxDepth) + " levels"};
}

// Size of the text stored for a scalar: numbers that are not integers keep their text.
std::size_t TextBytes(const Value& value) {
  return value.is_number() && !value.is_integer() ? value.NumberText().size()
                                                  : value.StringOrEmpty().size();
}

Value Resolved(const Mark& mark, const std::string& text) {
  std::optional<Value> value = ResolvePlain(text);
  if (!value) throw Stop{mark, "\"" + text + "\" has no form in JSON; quote it if it is a string"};
  return *std::move(value);
}

// Resolves a scalar with a tag such as !!int, quoted or not. Its text must be of that type.
Value Tagged(const Mark& mark, std::string_view tag, const std::string& text) {
  Value value = Resolved(mark, text);
  const bool fits = tag == "bool"        ? value.is_bool()
                    : tag == "null"      ? value.is_null()
                    : tag == "float"     ? value.is_number()
                    : tag == "int"       ? IsInteger(value)
                    : tag == "timestamp" ? IsTimestamp(text)
                                         : false;
  if (fits) return value;
  throw Stop{mark, "\"" + text + "\" is no " + std::string(tag) + ", which its tag !!" +
                       std::string(tag) + " says; leave the tag out"};
}

Value Decoded(const Mark& mark, const std::string& text) {
  const std::optional<std::string> bytes = DecodeBinary(text);
  if (!bytes) throw Stop{mark, "behind !!binary stands no base64"};
  if (json::FirstInvalidUtf8(*bytes) != bytes->size()) {
    throw Stop{mark,
               "these bytes are no UTF-8, and JSON holds texts only; in the data of a Secret the "
               "base64 stands without !!binary"};
  }
  return Value(*bytes);
}

Value ScalarOf(const Properties& properties, const std::string& text, bool plain) {
  if (properties.tag.empty()) return plain ? Resolved(properties.mark, text) : Value(text);
  std::string_view tag = properties.tag;
  if (!tag.starts_with(kStandardTag)) return Value(text);
  tag.remove_prefix(kStandardTag.size());
  if (tag == "binary") return Decoded(properties.mark, text);
  for (const std::string_view resolved : {"int", "float", "bool", "null", "timestamp"}) {
    if (tag == resolved) return Tagged(properties.mark, tag, text);
  }
  return Value(text);
}

std::string KeyText(const Mark& mark, const Value& key) {
  switch (key.type()) {
    case json::Type::kString:
      return key.StringOrEmpty();
    case json::Type::kNumber:
      return NumberKey(key);
    case json::Type::kBool:
      return *key.AsBool() ? "true" : "false";
    case json::Type::kNull:
      throw Stop{mark, "null cannot be a key; quote it if it is a string"};
    default:
      throw Stop{mark, "a list or a map cannot be a key"};
  }
}

}  // namespace

void Builder::OnAlias(const Mark& mark, const std::string& name) {
  const auto found = anchors_.find(name);
  if (found == anchors_.end()) {
    const bool inside = std::any_of(open_.begin(), open_.end(), [&](const Open& open) {
      return open.properties.anchor == name;
    });
    throw Stop{mark, inside ? "an alias inside what it stands for"
                            : "nothing in front of this alias has the anchor &" + name};
  }
  const Anchored& named = found->second;
  Count(mark, named.nodes);
  Copy(mark, named.bytes);
  if (!open_.empty()) Deepen(mark, open_.back(), named.depth);
  Add({mark}, named.value, false);
}

void Builder::OnScalar(const Properties& properties, const std::string& text, bool plain) {
  const bool merges = text == "<<" && ((plain && properties.tag.empty()) || properties.tag == "!" ||
                                       properties.tag == "tag:yaml.org,2002:merge");
  Add(properties, ScalarOf(properties, text, plain), merges);
}

void Builder::OnListStart(const Properties& properties) { Begin(properties, Value::MakeArray()); }

void Builder::OnMapStart(const Properties& properties) { Begin(properties, Value::MakeObject()); }

void Builder::OnEnd() {
  Open done = std::move(open_.back());
  open_.pop_back();
  if (done.value.is_object()) {
    Settle(done);
    done.value = Value(json::Object(std::move(done.members)));
  }
  const Mark& mark = done.properties.mark;
  if (!open_.empty()) Deepen(mark, open_.back(), done.depth);
  if (!done.properties.anchor.empty()) {
    const std::size_t bytes = bytes_ - done.first_byte + kNodeBytes;
    Copy(mark, bytes);
    anchors_[done.properties.anchor] = {done.value, nodes_ - done.first_node + 1, bytes,
                                        done.depth};
  }
  Place(mark, std::move(done.value), false);
}

void Builder::Begin(const Properties& properties, Value empty) {
  Count(properties.mark, 1);
  bytes_ += kNodeBytes;
  if (open_.size() >= json::kMaxDepth) throw TooDeep(properties.mark);
  // From here on the anchor refers to this value, which is incomplete, so aliases to it fail.
  anchors_.erase(properties.anchor);
  open_.push_back({std::move(empty), properties, nodes_, bytes_});
}

void Builder::Deepen(const Mark& mark, Open& open, std::size_t depth) const {
  open.depth = std::max(open.depth, depth + 1);
  if (open_.size() + depth > json::kMaxDepth) throw TooDeep(mark);
}

void Builder::Copy(const Mark& mark, std::size_t bytes) {
  bytes_ += bytes;
  copied_ += bytes;
  if (copied_ <= kMaxCopiedBytes) return;
  throw Stop{mark, "aliases multiply what they name to more than " +
                       std::to_string(kMaxCopiedBytes >> 20U) + " MiB"};
}

void Builder::Count(const Mark& mark, std::size_t nodes) {
  nodes_ += nodes;
  if (nodes_ > kMaxNodes) throw Stop{mark, "too many values; aliases multiply what they name"};
}

void Builder::Add(const Properties& properties, Value value, bool is_merge_key) {
  Count(properties.mark, 1);
  const std::size_t bytes = kNodeBytes + TextBytes(value);
  bytes_ += bytes;
  if (!properties.anchor.empty()) {
    Copy(properties.mark, bytes);
    anchors_[properties.anchor] = {value, 1, bytes, 0};
  }
  Place(properties.mark, std::move(value), is_merge_key);
}

void Builder::Place(const Mark& mark, Value value, bool is_merge_key) {
  if (open_.empty()) {
    root_ = std::move(value);
    return;
  }
  Open& top = open_.back();
  if (json::Array* array = top.value.IfArray()) {
    array->push_back(std::move(value));
  } else if (!top.has_key) {
    top.has_key = true;
    top.merge_key = is_merge_key;
    top.key = KeyText(mark, value);
  } else {
    top.has_key = false;
    if (top.merge_key) return Merge(mark, top, value);
    top.members.emplace_back(std::move(top.key), std::move(value));
    top.lines.push_back(mark.line);
  }
}

// Merged members count as if they were written in place of <<: they override keys before it, and
// keys behind it override them; of several maps the first wins. Go does the same, although in YAML
// 1.1 the map's own keys always win.
void Builder::Merge(const Mark& mark, Open& into, const Value& value) {
  const auto merge = [&](const Value& map) {
    if (!map.is_object()) throw Stop{mark, "<< takes a map or a list of maps"};
    Count(mark, map.members().size());
    for (const json::Object::Member& member : map.members()) {
      into.members.push_back(member);
      into.lines.push_back(kMerged);
    }
  };
  if (!value.is_array()) return merge(value);
  const auto& maps = value.items();
  for (std::size_t i = maps.size(); i > 0; --i) merge(maps[i - 1]);
}

// Keeps the last value of each key, at the position of the first.
void Builder::Settle(Open& done) const {
  std::vector<std::string_view> names;
  names.reserve(done.members.size());
  for (const json::Object::Member& member : done.members) names.push_back(member.first);
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) == names.end()) return;
  struct Kept {
    std::size_t place = 0;
    bool merged = false;
  };
  std::unordered_map<std::string, Kept> kept;
  std::vector<json::Object::Member> members;
  for (std::size_t i = 0; i < done.members.size(); ++i) {
    json::Object::Member& member = done.members[i];
    const bool merged = done.lines[i] == kMerged;
    const auto [found, fresh] = kept.emplace(member.first, Kept{members.size(), merged});
    if (fresh) {
      members.push_back(std::move(member));
      continue;
    }
    Kept& before = found->second;
    if (!before.merged && !merged && repeated_ != nullptr) {
      std::string text = "line " + std::to_string(done.lines[i] + 1) + ": key ";
      json::AppendQuoted(text, member.first);
      repeated_->push_back(text + " already set in map");
    }
    before.merged = merged;
    members[before.place].second = std::move(member.second);
  }
  done.members = std::move(members);
}

}  // namespace kinformer::yaml
