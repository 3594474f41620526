#include "object/lean_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "object/text_forms.h"
#include "wire/json_index.h"
#include "wire/json_scanner.h"
#include "wire/json_text.h"

namespace kinformer::internal {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

struct OwnerReference {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  std::optional<bool> controller;
  std::optional<bool> block_owner_deletion;
};

struct ManagedFields {
  std::string_view manager;
  std::string_view operation;
  std::string_view api_version;
  std::optional<TimeStamp> time;
  std::string_view fields_type;
  std::string_view fields;  // JSON
  std::string_view subresource;
};

// ObjectMeta as it is read: texts without their escapes.
struct Metadata {
  std::string_view name;
  std::string_view generate_name;
  std::string_view namespace_;
  std::string_view self_link;
  std::string_view uid;
  std::string_view resource_version;
  std::int64_t generation = 0;
  std::optional<TimeStamp> creation;
  std::optional<TimeStamp> deletion;
  std::optional<std::int64_t> grace;
  std::vector<Pair> labels;
  std::vector<Pair> annotations;
  std::vector<OwnerReference> owners;
  std::vector<std::string_view> finalizers;
  std::vector<ManagedFields> managed;
  std::vector<std::string> unescaped;  // what some of the texts refer to

  void Clear() {
    name = generate_name = namespace_ = self_link = uid = resource_version = {};
    generation = 0;
    creation = deletion = std::nullopt;
    grace.reset();
    labels.clear();
    annotations.clear();
    owners.clear();
    finalizers.clear();
    managed.clear();
    unescaped.clear();
  }
};

// Reads forward. Every function returns false for what it declines.
class Reader {
 public:
  Reader(std::string_view json, bool drop_managed_fields, Metadata& metadata)
      : at_(json.data()),
        end_(at_ + json.size()),
        drop_managed_fields_(drop_managed_fields),
        metadata_(metadata) {}

  bool Root(std::vector<std::string_view>& kept) {
    bool has_metadata = false;
    const bool read = Members([&](std::string_view name, const char* begin) {
      if (name == "metadata") return !std::exchange(has_metadata, true) && ReadMetadata();
      wire::JsonNotes notes;
      if (!Skip(notes) || notes.backslash) return false;
      notes_.not_plain |= notes.not_plain;
      if (name == "kind" || name == "apiVersion") return true;
      kept.emplace_back(begin, static_cast<std::size_t>(at_ - begin));
      return true;
    });
    Blanks();
    return read && has_metadata && at_ == end_;
  }
  // Bytes were seen that are not ASCII text: to be looked at.
  [[nodiscard]] bool not_plain() const { return notes_.not_plain; }

 private:
  void Blanks() { at_ = wire::SkipJsonBlanks(at_, end_); }
  [[nodiscard]] bool Sees(char c) const { return at_ != end_ && *at_ == c; }
  bool Take(char c) {
    if (!Sees(c)) return false;
    ++at_;
    return true;
  }

  // An object; `member` is called with each name, and where its quote is, at the value, and reads the value.
  template <class Member>
  bool Members(Member member) {
    Blanks();
    if (!Take('{')) return false;
    Blanks();
    if (Take('}')) return true;
    for (;;) {
      const char* const begin = at_;
      wire::JsonNotes notes;
      if (!Sees('"')) return false;
      const char* const after = wire::SkipJsonString(at_, end_, notes);
      if (after == nullptr || notes.backslash) return false;
      notes_.not_plain |= notes.not_plain;
      const std::string_view name(begin + 1, static_cast<std::size_t>(after - begin) - 2);
      at_ = after;
      Blanks();
      if (!Take(':')) return false;
      Blanks();
      if (!member(name, begin)) return false;
      Blanks();
      if (Take('}')) return true;
      if (!Take(',')) return false;
      Blanks();
    }
  }

  template <class Item>
  bool Items(Item item) {
    if (!Take('[')) return false;
    Blanks();
    if (Take(']')) return true;
    for (;;) {
      if (!item()) return false;
      Blanks();
      if (Take(']')) return true;
      if (!Take(',')) return false;
      Blanks();
    }
  }

  // Past a value whose inside nobody looks at. Scalars other than texts are words or numbers.
  bool Skip(wire::JsonNotes& notes) {
    const char* const begin = at_;
    const char* const after = wire::SkipJsonValue(at_, end_, notes);
    if (after == nullptr) return false;
    at_ = after;
    if (*begin == '"' || *begin == '{' || *begin == '[') return true;
    return IsScalar({begin, static_cast<std::size_t>(after - begin)});
  }

  static bool IsScalar(std::string_view text) {
    if (text == "true" || text == "false" || text == "null") return true;
    // Plain integers; the tape knows the others.
    if (text.starts_with('-')) text.remove_prefix(1);
    if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  bool Text(std::string_view& out) {
    if (!Sees('"')) return false;
    wire::JsonNotes notes;
    const char* const begin = at_ + 1;
    const char* const after = wire::SkipJsonString(at_, end_, notes);
    if (after == nullptr) return false;
    notes_.not_plain |= notes.not_plain;
    at_ = after;
    out = {begin, static_cast<std::size_t>(after - 1 - begin)};
    return !notes.backslash || Unescape(out);
  }

  bool Unescape(std::string_view& text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t run = std::min(rest.find('\\'), rest.size());
      plain.append(rest.substr(0, run));
      rest.remove_prefix(run);
      if (rest.empty()) break;
      const char* bad = nullptr;
      const char* const after =
          json::ReadEscape(rest.data(), rest.data() + rest.size(), &plain, bad);
      if (after == nullptr) return false;
      rest.remove_prefix(static_cast<std::size_t>(after - rest.data()));
    }
    // Short texts live in their std::string, which must therefore stay where it is.
    if (metadata_.unescaped.capacity() == metadata_.unescaped.size()) {
      if (!metadata_.unescaped.empty()) return false;
      metadata_.unescaped.reserve(64);
    }
    metadata_.unescaped.push_back(std::move(plain));
    text = metadata_.unescaped.back();
    return true;
  }

  bool Integer(std::int64_t& out) {
    const char* const begin = at_;
    const auto [after, error] = std::from_chars(at_, end_, out);
    if (error != std::errc() || after == end_ || (*after != ',' && *after != '}')) return false;
    at_ = after;
    return IsScalar({begin, static_cast<std::size_t>(after - begin)});
  }

  bool Bool(std::optional<bool>& out) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (rest.starts_with("true")) {
      out = true;
      at_ += 4;
    } else if (rest.starts_with("false")) {
      out = false;
      at_ += 5;
    } else {
      return false;
    }
    return true;
  }

  bool Time(std::optional<TimeStamp>& out) {
    std::string_view text;
    if (!Text(text)) return false;
    out = ParseRfc3339(text);
    return out.has_value();
  }

  bool Map(std::vector<Pair>& out) {
    if (!Sees('{')) return false;
    if (!Members([&](std::string_view name, const char*) {
          std::string_view value;
          if (!Text(value)) return false;
          out.emplace_back(name, value);
          return true;
        })) {
      return false;
    }
    std::sort(out.begin(), out.end(),
              [](const Pair& a, const Pair& b) { return a.first < b.first; });
    return std::adjacent_find(out.begin(), out.end(), [](const Pair& a, const Pair& b) {
             return a.first == b.first;
           }) == out.end();
  }

  // The number of a member among `names`, which must not have been seen; -1 for anything else. Members come mostly in the order of
  // the names.
  template <std::size_t kCount>
  static int Known(const std::array<std::string_view, kCount>& names, std::string_view name,
                   std::uint32_t& seen) {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (names[i].size() != name.size() || names[i] != name) continue;
      if (((seen >> i) & 1U) != 0) return -1;
      seen |= 1U << i;
      return static_cast<int>(i);
    }
    return -1;
  }

  bool ReadOwner() {
    static constexpr std::array<std::string_view, 6> kNames = {
        "apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"};
    OwnerReference& owner = metadata_.owners.emplace_back();
    std::uint32_t seen = 0;
    return Members([&](std::string_view name, const char*) {
      switch (Known(kNames, name, seen)) {
        case 0:
          return Text(owner.api_version);
        case 1:
          return Text(owner.kind);
        case 2:
          return Text(owner.name);
        case 3:
          return Text(owner.uid);
        case 4:
          return Bool(owner.controller);
        case 5:
          return Bool(owner.block_owner_deletion);
        default:
          return false;
      }
    });
  }

  bool ReadManaged() {
    static constexpr std::array<std::string_view, 7> kNames = {
        "manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"};
    ManagedFields& entry = metadata_.managed.emplace_back();
    std::uint32_t seen = 0;
    return Members([&](std::string_view name, const char*) {
      switch (Known(kNames, name, seen)) {
        case 0:
          return Text(entry.manager);
        case 1:
          return Text(entry.operation);
        case 2:
          return Text(entry.api_version);
        case 3:
          return Time(entry.time);
        case 4:
          return Text(entry.fields_type);
        case 5: {
          if (!Sees('{')) return false;
          const char* const begin = at_;
          if (!Skip(notes_)) return false;
          entry.fields = {begin, static_cast<std::size_t>(at_ - begin)};
          return true;
        }
        case 6:
          return Text(entry.subresource);
        default:
          return false;
      }
    });
  }

  bool ReadMetadata() {
    static constexpr std::array<std::string_view, 15> kNames = {"name",
                                                                "generateName",
                                                                "namespace",
                                                                "selfLink",
                                                                "uid",
                                                                "resourceVersion",
                                                                "generation",
                                                                "creationTimestamp",
                                                                "deletionTimestamp",
                                                                "deletionGracePeriodSeconds",
                                                                "labels",
                                                                "annotations",
                                                                "ownerReferences",
                                                                "finalizers",
                                                                "managedFields"};
    Metadata& m = metadata_;
    std::uint32_t seen = 0;
    return Members([&](std::string_view name, const char*) {
      switch (Known(kNames, name, seen)) {
        case 0:
          return Text(m.name);
        case 1:
          return Text(m.generate_name);
        case 2:
          return Text(m.namespace_);
        case 3:
          return Text(m.self_link);
        case 4:
          return Text(m.uid);
        case 5:
          return Text(m.resource_version);
        case 6:
          return Integer(m.generation);
        case 7:
          return Time(m.creation);
        case 8:
          return Time(m.deletion);
        case 9:
          return Integer(m.grace.emplace());
        case 10:
          return Map(m.labels);
        case 11:
          return Map(m.annotations);
        case 12:
          return Items([&] { return ReadOwner(); });
        case 13:
          return Items([&] { return Text(m.finalizers.emplace_back()); });
        case 14:
          if (drop_managed_fields_) return Sees('[') && Skip(notes_);
          return Items([&] { return ReadManaged(); });
        default:
          return false;
      }
    });
  }

  const char* at_;
  const char* const end_;
  const bool drop_managed_fields_;
  Metadata& metadata_;
  wire::JsonNotes notes_;
};

// ---- The message, last field first. A text is written even when it is empty, as Go's generated code does.

void WriteTime(std::uint32_t field, const std::optional<TimeStamp>& time, BackwardWriter& out) {
  const std::size_t before = out.size();
  if (time && (time->seconds != kZeroTimeSeconds || time->nanos != 0)) {
    out.VarintField(2, 0);  // metav1.Time drops fractions
    out.VarintField(1, static_cast<std::uint64_t>(time->seconds));
  }
  out.LengthAndTag(field, before);
}

void WriteMap(std::uint32_t field, const std::vector<Pair>& entries, BackwardWriter& out) {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const std::size_t before = out.size();
    out.StringField(2, entry->second);
    out.StringField(1, entry->first);
    out.LengthAndTag(field, before);
  }
}

void WriteOwner(const OwnerReference& owner, BackwardWriter& out) {
  const std::size_t before = out.size();
  if (owner.block_owner_deletion) out.VarintField(7, *owner.block_owner_deletion ? 1 : 0);
  if (owner.controller) out.VarintField(6, *owner.controller ? 1 : 0);
  out.StringField(5, owner.api_version);
  out.StringField(4, owner.uid);
  out.StringField(3, owner.name);
  out.StringField(1, owner.kind);
  out.LengthAndTag(13, before);
}

void WriteManaged(const ManagedFields& entry, BackwardWriter& out) {
  const std::size_t before = out.size();
  out.StringField(8, entry.subresource);
  if (!entry.fields.empty()) {
    const std::size_t fields = out.size();
    out.StringField(1, entry.fields);
    out.LengthAndTag(7, fields);
  }
  out.StringField(6, entry.fields_type);
  if (entry.time) WriteTime(4, entry.time, out);
  out.StringField(3, entry.api_version);
  out.StringField(2, entry.operation);
  out.StringField(1, entry.manager);
  out.LengthAndTag(17, before);
}

void WriteMetadata(const Metadata& m, BackwardWriter& out) {
  for (auto entry = m.managed.rbegin(); entry != m.managed.rend(); ++entry)
    WriteManaged(*entry, out);
  for (auto text = m.finalizers.rbegin(); text != m.finalizers.rend(); ++text)
    out.StringField(14, *text);
  for (auto owner = m.owners.rbegin(); owner != m.owners.rend(); ++owner) WriteOwner(*owner, out);
  WriteMap(12, m.annotations, out);
  WriteMap(11, m.labels, out);
  if (m.grace) out.VarintField(10, static_cast<std::uint64_t>(*m.grace));
  if (m.deletion) WriteTime(9, m.deletion, out);
  WriteTime(8, m.creation, out);
  out.VarintField(7, static_cast<std::uint64_t>(m.generation));
  out.StringField(6, m.resource_version);
  out.StringField(5, m.uid);
  out.StringField(4, m.self_link);
  out.StringField(3, m.namespace_);
  out.StringField(2, m.generate_name);
  out.StringField(1, m.name);
}

}  // namespace

bool ReadLeanJson(std::string_view json, bool drop_managed_fields,
                  std::vector<std::string_view>& kept, BackwardWriter& metadata) {
  thread_local Metadata scratch;
  scratch.Clear();
  kept.clear();
  Reader reader(json, drop_managed_fields, scratch);
  if (!reader.Root(kept)) return false;
  // Line ends between tokens are common in files and rare on the wire; control characters in strings are an error.
  if (reader.not_plain() &&
      (std::any_of(json.begin(), json.end(), [](char c) { return c >= 0 && c < 0x20; }) ||
       !wire::IsUtf8(json))) {
    return false;
  }
  WriteMetadata(scratch, metadata);
  return true;
}

}  // namespace kinformer::internal
