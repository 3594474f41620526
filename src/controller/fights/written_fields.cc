#include "controller/fights/written_fields.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/text/hash_bytes.h"
#include "controller/causes/changed_fields.h"

namespace kinformer::internal::fights {
namespace {

using json::Value;
using Form = SentWrite::Form;

// The longest value that is told.
constexpr std::size_t kLongestText = 40;

// Whether a value says no more than its absence.
bool IsNothing(const Value& value) {
  if (value.is_null()) return true;
  if (value.is_object() || value.is_array()) return value.size() == 0;
  return value.is_string() && value.StringOrEmpty().empty();
}

// Whether a struct has it where the program has set nothing.
bool IsZero(const Value& value) {
  return IsNothing(value) || value.AsBool() == false || value.AsInt64() == 0;
}

bool Same(const Value& a, const Value& b) { return a == b || (IsNothing(a) && IsNothing(b)); }

// Where a value may be a secret, whatever the kind.
bool MayBeSecret(const std::string& path) {
  for (const std::string_view part : {"data", "stringData", "binaryData"}) {
    if (path.starts_with(part)) return true;
  }
  for (const std::string_view part : {".env", ".args", ".command"}) {
    if (path.find(part) != std::string::npos) return true;
  }
  return false;
}

// The member by which the items of lists are told apart: each item of each list is an object that
// has it, and no two items of one list have the same. Null: there is none.
const char* KeyOf(std::initializer_list<const Value*> lists) {
  for (const char* const key : {"name", "type"}) {
    const bool fits = std::ranges::all_of(lists, [&](const Value* list) {
      std::vector<std::string_view> seen;
      for (const Value& item : list->items()) {
        const auto name = item[key].AsString();
        if (!name || std::ranges::find(seen, *name) != seen.end()) return false;
        seen.push_back(*name);
      }
      return true;
    });
    if (fits) return key;
  }
  return nullptr;
}

const Value& ItemOf(const Value& list, const char* key, std::string_view name) {
  static const Value kNone;
  for (const Value& item : list.items()) {
    if (item[key].AsString() == name) return item;
  }
  return kNone;
}

class Walk {
 public:
  Walk(bool secret, std::uint64_t seed) : secret_(secret), seed_(seed) {}

  // `whole`: what was sent is all that is to be there; otherwise what it names.
  void Object(const Value& before, const Value& now, const Value& sent, Form form) {
    const bool whole = form == Form::kWhole || form == Form::kStatus;
    lists_ = form != Form::kFields;
    for (const std::string& name : NamesOf({&before, &now, &sent}, whole, &sent)) {
      if (name == "apiVersion" || name == "kind") continue;
      if (form == Form::kStatus && name != "status") continue;
      // A server may ignore the status of a write of the whole object.
      judges_server_ = name != "status" || form != Form::kWhole;
      if (name == "metadata") {
        for (const char* const part : {"labels", "annotations", "finalizers", "ownerReferences"}) {
          if (!whole && !sent[name].contains(part)) continue;
          removals_count_ = true;
          steps_ = {name, part};
          Compare(before[name][part], now[name][part], sent[name][part], whole, name + "." + part);
          removals_count_ = !whole;
        }
        continue;
      }
      removals_count_ = !whole;
      steps_ = {name};
      Compare(before[name], now[name], sent[name], whole, name);
    }
  }
  [[nodiscard]] std::vector<WrittenField> Take() { return std::move(fields_); }

 private:
  static std::vector<std::string> NamesOf(std::initializer_list<const Value*> values, bool whole,
                                          const Value* sent) {
    std::vector<std::string> names;
    for (const Value* const value : values) {
      if (!whole && value != sent) continue;
      for (const auto& [name, member] : value->members()) {
        if (name.starts_with('$') || std::ranges::find(names, name) != names.end()) continue;
        names.push_back(name);
      }
    }
    return names;
  }
  // True if at least one is of the type, and the others are nothing.
  template <class Is>
  static bool AreAll(std::initializer_list<const Value*> values, const Is& is) {
    return std::ranges::any_of(values, is) &&
           std::ranges::all_of(values, [&](const Value* v) { return is(v) || v->is_null(); });
  }

  void Compare(const Value& before, const Value& now, const Value& sent, bool whole,
               const std::string& path) {
    if (fields_.size() >= kMostWrittenFields) return;
    if (Same(before, now) && Same(now, sent)) return;
    const std::initializer_list<const Value*> all = {&before, &now, &sent};
    const bool removes = !whole && sent.is_null();
    if (!removes && AreAll(all, [](const Value* v) { return v->is_object(); })) {
      for (const std::string& name : NamesOf(all, whole, &sent)) {
        Below(before[name], now[name], sent[name], whole, PathBelow(path, name), &name);
      }
      return;
    }
    if (!removes && AreAll(all, [](const Value* v) { return v->is_array(); })) {
      if (Items(before, now, sent, whole || lists_, path)) return;
    }
    Leaf(before, now, sent, whole, path);
  }
  void Below(const Value& before, const Value& now, const Value& sent, bool whole,
             const std::string& path, const std::string* name) {
    const bool counts = name != nullptr && !in_list_;
    const bool was_in_list = std::exchange(in_list_, in_list_ || name == nullptr);
    if (counts) steps_.push_back(*name);
    Compare(before, now, sent, whole, path);
    if (counts) steps_.pop_back();
    in_list_ = was_in_list;
  }
  // Returns false if the items cannot be told apart.
  bool Items(const Value& before, const Value& now, const Value& sent, bool whole,
             const std::string& path) {
    if (const char* const key = KeyOf({&before, &now, &sent})) {
      std::vector<std::string> names;
      for (const Value* const list : {&before, &now, &sent}) {
        if (!whole && list != &sent) continue;
        for (const Value& item : list->items()) {
          const std::string& name = item[key].StringOrEmpty();
          if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        }
      }
      for (const std::string& name : names) {
        Below(ItemOf(before, key, name), ItemOf(now, key, name), ItemOf(sent, key, name), whole,
              path + "[" + Value(name).Dump() + "]", nullptr);
      }
      return true;
    }
    if (!whole || before.size() != now.size() || now.size() != sent.size()) return false;
    for (std::size_t i = 0; i < now.size(); ++i) {
      Below(before[i], now[i], sent[i], whole, path + "[" + std::to_string(i) + "]", nullptr);
    }
    return true;
  }
  void Leaf(const Value& before, const Value& now, const Value& sent, bool whole,
            const std::string& path) {
    const bool changed = !Same(before, now) && Same(now, sent);
    // Items of lists without keys may have been joined with others.
    const bool joined = !lists_ && !whole && now.is_array();
    const bool said = removals_count_ || !(whole ? IsZero(sent) : IsNothing(sent));
    const bool undone = judges_server_ && said && !joined && !Same(now, sent);
    if (!changed && !undone) return;
    WrittenField field{.path = path, .steps = steps_, .undone = undone};
    field.before = HashOf(before);
    field.now = HashOf(now);
    field.sent = HashOf(sent);
    if (!secret_ && !MayBeSecret(path)) {
      field.before_text = TextOf(before);
      field.now_text = TextOf(now);
      field.sent_text = TextOf(sent);
    }
    fields_.push_back(std::move(field));
  }
  [[nodiscard]] std::uint64_t HashOf(const Value& value) const {
    return IsNothing(value) ? 0 : base::HashBytes(seed_, value.Dump());
  }
  static std::string TextOf(const Value& value) {
    if (IsNothing(value)) return "none";
    if (value.is_object() || value.is_array()) return {};
    std::string text = value.Dump();
    return text.size() <= kLongestText ? text : std::string();
  }

  const bool secret_;
  const std::uint64_t seed_;
  bool lists_ = true;           // lists are sent as wholes
  bool judges_server_ = true;   // whether fields are kept
  bool removals_count_ = true;  // what is not sent is to go
  bool in_list_ = false;
  std::vector<std::string> steps_;
  std::vector<WrittenField> fields_;
};

std::vector<std::string> StepsOfPointer(std::string_view pointer) {
  std::vector<std::string> steps;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    std::string step;
    for (std::size_t i = 0; i < end; ++i) {
      const bool escaped = pointer[i] == '~' && i + 1 < end;
      step += !escaped ? pointer[i] : pointer[i + 1] == '1' ? '/' : '~';
      if (escaped) ++i;
    }
    steps.push_back(std::move(step));
    pointer.remove_prefix(end);
  }
  return steps;
}

// Returns the merge patch that says the same as a JSON patch, as far as it names members; what it
// changes in a list counts as kept.
Value MergeOf(const Value& operations, const Value& now) {
  Value merge = Value::MakeObject();
  for (const Value& operation : operations.items()) {
    const std::string& op = operation["op"].StringOrEmpty();
    if (op == "test") continue;
    Value* place = &merge;
    const Value* there = &now;
    bool in_list = false;
    for (const std::string& step : StepsOfPointer(operation["path"].StringOrEmpty())) {
      in_list = there->is_array();
      if (in_list) break;
      place = &place->Ensure(step);
      there = &(*there)[step];
    }
    if (op == "remove" && !in_list) {
      *place = Value();
    } else if ((op == "add" || op == "replace") && !in_list) {
      *place = operation["value"];
    } else {
      *place = *there;
    }
  }
  return merge;
}

}  // namespace

std::vector<WrittenField> FieldsOf(const Value& before, const Value& now, const SentWrite& sent,
                                   bool secret, std::uint64_t hash_seed) {
  const Result<Value> body = json::Parse(sent.body);
  if (!body) return {};  // YAML
  Walk walk(secret, hash_seed);
  if (sent.form == Form::kJsonPatch) {
    walk.Object(before, now, MergeOf(*body, now), Form::kMerge);
  } else {
    walk.Object(before, now, *body, sent.form);
  }
  return walk.Take();
}

}  // namespace kinformer::internal::fights
