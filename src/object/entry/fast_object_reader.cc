#include "object/entry/fast_object_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "object/entry/member_prediction.h"
#include "object/entry/metadata_message.h"
#include "object/entry/metadata_template.h"
#include "object/transcode/projection_tree.h"
#include "wire/json_index.h"
#include "wire/json_text.h"

namespace kinformer::internal {
namespace {

// State that a thread keeps between objects. Objects of one list usually have the same members in
// the same order, and many times on the same day.
struct Memory {
  std::string head;  // text before the metadata, if it was kind and apiVersion
  MetadataTemplates templates;
  MemberOrder<15> metadata;
  MemberOrder<6> owner;
  MemberOrder<7> managed;
  TimePrediction time;
};

// Reads forward. Every function returns false if it declines the text.
class Reader {
 public:
  Reader(std::string_view json, const wire::JsonBitmap& bitmap, const BuildOptions& options,
         JsonMetadata& metadata, Memory& memory, FastObject& object)
      : bitmap_(bitmap),
        at_(json.data()),
        end_(at_ + json.size()),
        size_(json.size()),
        drop_managed_fields_(options.drop_managed_fields),
        projection_(options.projection),
        metadata_(metadata),
        memory_(memory),
        message_(object.metadata),
        keys_(object.keys),
        by_template_(object.by_template),
        parts_(object.parts),
        cut_(object.cut) {}

  bool Root() {
    bool has_metadata = false;
    bool in_head = true;
    // A projected object is never longer than the original, so views into `cut_` stay valid.
    if (projection_ != nullptr) cut_.reserve(size_);
    const char* const first = at_;
    const auto member = [&](std::string_view name, const char* begin) {
      if (name == "metadata") {
        if (std::exchange(has_metadata, true)) return false;
        const std::string_view head = TextFrom(first);
        if (!TakeMetadata()) return false;
        if (in_head && head.size() <= kLongestHead) memory_.head = head;
        return true;
      }
      if (name == "kind" || name == "apiVersion") return SkipPlainly();
      in_head = false;
      if (projection_ != nullptr) return Cut(name);
      if (!Skip()) return false;
      const std::string_view text = TextFrom(begin);
      return NoteStrings(text, parts_.Keep(text), bitmap_);
    };
    bool read = false;
    if (!memory_.head.empty() && std::string_view(at_, size_).starts_with(memory_.head)) {
      at_ += memory_.head.size();
      has_metadata = true;
      read = TakeMetadata() && MoreMembers(member);
    } else {
      read = Members(member);
    }
    Blanks();
    return read && has_metadata && at_ == end_ && (projection_ == nullptr || NoteCutStrings());
  }

 private:
  void Blanks() { at_ = wire::SkipJsonBlanks(at_, end_); }
  [[nodiscard]] bool Sees(char c) const { return at_ != end_ && *at_ == c; }
  bool Take(char c) {
    if (!Sees(c)) return false;
    ++at_;
    return true;
  }

  // Reads an object. Calls `member` with each name and the position of its opening quote; `member`
  // then reads the value.
  template <class Member>
  bool Members(Member member) {
    Blanks();
    if (!Take('{')) return false;
    Blanks();
    return Take('}') || (OneMember(member) && MoreMembers(member));
  }
  template <class Member>
  bool OneMember(Member& member) {
    const char* const begin = at_;
    std::string_view name;
    bool plain = true;
    if (!RawText(name, plain) || !plain) return false;
    Blanks();
    if (!Take(':')) return false;
    Blanks();
    return member(name, begin);
  }
  // Reads the members that follow, up to the closing brace.
  template <class Member>
  bool MoreMembers(Member& member) {
    for (;;) {
      Blanks();
      if (Take('}')) return true;
      if (!Take(',')) return false;
      Blanks();
      if (!OneMember(member)) return false;
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

  [[nodiscard]] std::string_view TextFrom(const char* begin) const {
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  // Skips a value without checking its content. Scalars other than strings are words or numbers.
  bool Skip() {
    if (at_ == end_) return false;
    const char* const begin = at_;
    const char* const after = bitmap_.SkipValue(at_, end_);
    if (after == nullptr) return false;
    at_ = after;
    return *begin == '"' || *begin == '{' || *begin == '[' || IsScalar(TextFrom(begin));
  }

  static bool IsScalar(std::string_view text) {
    if (text == "true" || text == "false" || text == "null") return true;
    // Accepts plain integers; the tape reads other numbers.
    return IsPlainInteger(text);
  }

  // Reads a string without its quotes. Sets `plain` if it contains no escapes.
  bool RawText(std::string_view& out, bool& plain) {
    if (!Sees('"') || at_ + 1 == end_) return false;
    const char* const begin = at_ + 1;
    const char* const quote = bitmap_.NextQuote(begin, plain);
    if (quote == nullptr || quote >= end_) return false;
    at_ = quote + 1;
    out = {begin, static_cast<std::size_t>(quote - begin)};
    return true;
  }

  bool Text(std::string_view& out) {
    bool plain = true;
    return RawText(out, plain) && (plain || Unescape(out));
  }

  bool Unescape(std::string_view& text) {
    std::string& all = metadata_.unescaped;
    // A text is never longer than its escaped form, so the buffer is not reallocated.
    if (all.empty()) all.reserve(size_);
    const std::size_t from = all.size();
    if (!AppendUnescaped(text, all)) return false;
    const std::string_view raw = text;
    text = std::string_view(all).substr(from);
    metadata_.escaped.emplace_back(raw, text);
    return true;
  }

  bool Integer(std::int64_t& out) {
    const char* const begin = at_;
    const auto [after, error] = std::from_chars(at_, end_, out);
    if (error != std::errc() || after == end_ || (*after != ',' && *after != '}')) return false;
    at_ = after;
    return IsScalar({begin, static_cast<std::size_t>(after - begin)});
  }

  bool Generation(MetadataNumber& out) {
    const char* const begin = at_;
    if (!Integer(out.value)) return false;
    out.text = TextFrom(begin);
    return true;
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

  bool Time(MetadataTime& out) {
    if (!Text(out.text)) return false;
    out.value = memory_.time(out.text);
    return out.value.has_value();
  }

  bool Map(std::vector<TextPair>& out) {
    if (!Sees('{')) return false;
    bool ascending = true;
    if (!Members([&](std::string_view name, const char*) {
          std::string_view value;
          if (!Text(value)) return false;
          ascending = ascending && (out.empty() || out.back().first < name);
          out.emplace_back(name, value);
          return true;
        })) {
      return false;
    }
    if (ascending) return true;
    std::sort(out.begin(), out.end(),
              [](const TextPair& a, const TextPair& b) { return a.first < b.first; });
    return std::adjacent_find(out.begin(), out.end(), [](const TextPair& a, const TextPair& b) {
             return a.first == b.first;
           }) == out.end();
  }

  // Reads an object whose members are all in the table, none twice. Calls `member` with the index
  // of each member at its value; `member` reads the value.
  template <std::size_t kCount, class Member>
  bool KnownMembers(const std::array<MemberName, kCount>& names, MemberOrder<kCount>& order,
                    Member member) {
    Blanks();
    if (!Take('{')) return false;
    Blanks();
    if (Take('}')) return true;
    std::uint32_t seen = 0;
    for (std::size_t previous = kCount;;) {
      std::size_t which = order.After(previous);
      if (end_ - at_ >= MemberName::kRoom && names[which].IsAt(at_)) {
        at_ += names[which].size();
      } else {
        which = FindName(names);
        if (which == kCount) return false;
        order.Learn(previous, which);
      }
      Blanks();
      if (((seen >> which) & 1U) != 0) return false;
      seen |= 1U << which;
      if (!member(which)) return false;
      previous = which;
      Blanks();
      if (Take('}')) return true;
      if (!Take(',')) return false;
      Blanks();
    }
  }

  // Skips a name and its colon. Returns the size of the table if the name is not in it.
  template <std::size_t kCount>
  std::size_t FindName(const std::array<MemberName, kCount>& names) {
    std::string_view name;
    bool plain = true;
    if (!RawText(name, plain)) return kCount;
    Blanks();
    if (!Take(':')) return kCount;
    const auto is = [&](const MemberName& known) { return known.name() == name; };
    return static_cast<std::size_t>(std::find_if(names.begin(), names.end(), is) - names.begin());
  }

  bool ReadOwner() {
    static constexpr auto kNames =
        NamesOf("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion");
    MetadataOwner& owner = metadata_.owners.emplace_back();
    return KnownMembers(kNames, memory_.owner, [&](std::size_t which) {
      switch (which) {
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
        default:
          return Bool(owner.block_owner_deletion);
      }
    });
  }

  bool ReadManaged() {
    static constexpr auto kNames = NamesOf("manager", "operation", "apiVersion", "time",
                                           "fieldsType", "fieldsV1", "subresource");
    MetadataManagedFields& entry = metadata_.managed.emplace_back();
    return KnownMembers(kNames, memory_.managed, [&](std::size_t which) {
      switch (which) {
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
          if (!Skip()) return false;
          entry.fields = TextFrom(begin);
          return true;
        }
        default:
          return Text(entry.subresource);
      }
    });
  }

  bool TakeMetadata() {
    const char* const begin = at_;
    if (projection_ == nullptr) {
      const char* const after = memory_.templates.Read(at_, end_, bitmap_, drop_managed_fields_,
                                                       memory_.time, message_, keys_);
      if (after != nullptr) {
        at_ = after;
        by_template_ = true;
        return true;
      }
    }
    metadata_.Clear();
    if (!ReadMetadata()) return false;
    metadata_.json = TextFrom(begin);
    return true;
  }

  bool ReadMetadata() {
    static constexpr auto kNames = NamesOf(
        "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation",
        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "labels",
        "annotations", "ownerReferences", "finalizers", "managedFields");
    JsonMetadata& m = metadata_;
    const ProjectionTree::Node* const dropped =
        projection_ != nullptr ? projection_->DroppedMetadata() : nullptr;
    return KnownMembers(kNames, memory_.metadata, [&](std::size_t which) {
      if (dropped != nullptr) {
        if (const ProjectionTree::Node* const node = dropped->Find(kNames[which].name())) {
          // Only the tape can remove parts of a member of the metadata.
          return node->whole && Skip();
        }
      }
      switch (which) {
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
          return Generation(m.generation);
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
        default:
          if (drop_managed_fields_) return Dropped();
          return Items([&] { return ReadManaged(); });
      }
    });
  }

  bool Dropped() {
    const char* const begin = at_;
    if (!Sees('[') || !Skip()) return false;
    metadata_.dropped = TextFrom(begin);
    return true;
  }

  bool SkipPlainly() {
    const char* const begin = at_;
    return Skip() && !bitmap_.HasBackslash(TextFrom(begin));
  }

  // ---- Parts that are kept

  // Records the strings with escapes in a member that is to be stored at `place`. `bitmap` must
  // cover the text that contains the member.
  bool NoteStrings(std::string_view member, std::size_t place, const wire::JsonBitmap& bitmap) {
    if (!bitmap.HasBackslash(member)) return true;
    const char* const end = member.data() + member.size();
    for (const char* at = member.data();;) {
      at = bitmap.NextBackslash(at, end);
      if (at == nullptr) return true;
      // A backslash outside strings is malformed, so the object is declined.
      const char* const open = bitmap.PreviousQuote(at);
      const char* const close = bitmap.NextQuote(at);
      if (open == nullptr || close == nullptr || open < member.data() || close >= end) return false;
      const std::size_t from = parts_.unescaped.size();
      if (!AppendUnescaped({open + 1, static_cast<std::size_t>(close - open) - 1},
                           parts_.unescaped)) {
        return false;
      }
      parts_.AddString(place + static_cast<std::size_t>(open - member.data()), from);
      at = close + 1;
    }
  }

  // Appends the part of a root member that the projection keeps. Its name was just read.
  bool Cut(std::string_view name) {
    const ProjectionTree::Node* const node = projection_->root().Find(name);
    const bool deeper = node != nullptr && !node->whole;
    if (!deeper && projection_->keeps() != (node != nullptr)) return Skip();
    const std::size_t from = cut_.size();
    AppendName(name);
    if (deeper ? !CutValue(*node, 1) : !SkipTo(cut_)) return false;
    parts_.Keep(std::string_view(cut_).substr(from));
    return true;
  }

  void AppendName(std::string_view name) {
    cut_ += '"';
    cut_ += name;
    cut_ += "\":";
  }

  bool SkipTo(std::string& out) {
    const char* const begin = at_;
    if (!Skip()) return false;
    out += TextFrom(begin);
    return true;
  }

  // Does the same as ProjectionTree::Cut does with the tape.
  bool CutValue(const ProjectionTree::Node& node, int depth) {
    if (depth > kDeepest) return false;
    const bool array = Sees('[');
    if (!array && !Sees('{')) return SkipTo(cut_);
    char separator = array ? '[' : '{';
    const auto separate = [&] { cut_ += std::exchange(separator, ','); };
    const bool read = array ? Items([&] {
      separate();
      return CutValue(node, depth + 1);
    })
                            : Members([&](std::string_view name, const char*) {
                                const ProjectionTree::Node* const child = node.Find(name);
                                const bool deeper = child != nullptr && !child->whole;
                                if (!deeper && projection_->keeps() != (child != nullptr)) {
                                  return Skip();
                                }
                                separate();
                                AppendName(name);
                                return deeper ? CutValue(*child, depth + 1) : SkipTo(cut_);
                              });
    if (!read) return false;
    if (separator != ',') cut_ += separator;
    cut_ += array ? ']' : '}';
    return true;
  }

  bool NoteCutStrings() {
    if (cut_.find('\\') == std::string::npos) return true;
    wire::JsonBitmap bitmap;
    bitmap.Read(cut_);
    std::size_t place = 1;
    for (const std::string_view member : parts_.kept) {
      if (!NoteStrings(member, place, bitmap)) return false;
      place += member.size() + 1;
    }
    return true;
  }

  static constexpr int kDeepest = 512;
  static constexpr std::size_t kLongestHead = 128;

  const wire::JsonBitmap& bitmap_;
  const char* at_;
  const char* const end_;
  const std::size_t size_;
  const bool drop_managed_fields_;
  const ProjectionTree* const projection_;
  JsonMetadata& metadata_;
  Memory& memory_;
  MetadataMessage& message_;
  MetadataKeys& keys_;
  bool& by_template_;
  JsonParts& parts_;
  std::string& cut_;
};

}  // namespace

bool ReadFastObject(std::string_view json, const wire::JsonBitmap& bitmap,
                    const BuildOptions& options, FastObject& object) {
  const unsigned notes = bitmap.notes();
  if ((notes & wire::kJsonBad) != 0) return false;
  if ((notes & wire::kJsonNotAscii) != 0 && !wire::IsUtf8(json)) return false;
  struct Kept {
    JsonMetadata metadata;
    Memory memory;
  };
  thread_local Kept kept;
  object.parts.Clear();
  object.cut.clear();
  object.by_template = false;
  Reader reader(json, bitmap, options, kept.metadata, kept.memory, object);
  if (!reader.Root()) return false;
  if (object.by_template) return true;
  MetadataTemplates& templates = kept.memory.templates;
  if (options.projection != nullptr || !templates.WantsToLearn(kept.metadata)) {
    return object.metadata.Write(kept.metadata, bitmap.text(), json.size(), object.keys);
  }
  thread_local MessageLayout layout;
  if (!object.metadata.Write(kept.metadata, bitmap.text(), json.size(), object.keys, layout)) {
    return false;
  }
  templates.Learn(kept.metadata, layout, object.metadata.view(), options.drop_managed_fields);
  return true;
}

}  // namespace kinformer::internal
