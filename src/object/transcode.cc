#include "object/transcode.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "kinformer/json.h"

#include "object/backward_writer.h"
#include "object/json_tape.h"
#include "object/text_forms.h"

namespace kinformer::internal {
namespace {

constexpr std::size_t kNoField = std::numeric_limits<std::size_t>::max();
// How far a member is looked for before all are searched.
constexpr std::size_t kNear = 12;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Writes the protobuf form of the tape's values, last field first. Every function returns false after Fail.
class Encoder {
 public:
  Encoder(const JsonTape& tape, BackwardWriter& out, UnknownMembers unknown,
          std::string_view dropped)
      : tape_(tape), out_(out), keep_(unknown == UnknownMembers::kKeep), dropped_(dropped) {}

  bool Run(const MessageDescriptor& message, std::uint32_t object) {
    return Message(message, object);
  }
  Error TakeError() {
    std::string path = tape_.PathOf(failed_at_);
    if (!path.empty()) path += ": ";
    return Error(Reason::kDecode,
                 "JSON: " + path + error_ + " at byte " + std::to_string(tape_[failed_at_].begin));
  }

 private:
  bool Fail(std::uint32_t node, std::string what) {
    failed_at_ = node;
    error_ = std::move(what);
    return false;
  }
  bool WrongType(std::uint32_t node, std::string_view wanted) {
    return Fail(node,
                "expected " + std::string(wanted) + ", got " + std::string(tape_.TypeName(node)));
  }
  // No value is as good as null.
  bool Missing(std::uint32_t node) const {
    return node == kNone || tape_[node].type == JsonType::kNull;
  }

  // The content of a message; `object` may be kNone, then all members are absent.
  bool Message(const MessageDescriptor& message, std::uint32_t object, bool inlined = false) {
    bool all_known = true;
    const std::size_t base = members_.size();
    const std::size_t count = message.fields.size();
    members_.resize(base + count, kNone);
    if (object != kNone) {
      if (tape_[object].type != JsonType::kObject) return WrongType(object, "an object");
      std::size_t expected = 0;  // in json_order
      for (std::uint32_t key = object + 1; key < tape_[object].next;) {
        const std::uint32_t value = key + 1;
        const std::size_t index = IndexOf(message, tape_.String(key, scratch_), expected);
        if (index != kNoField) {
          members_[base + index] = value;
        } else {
          all_known = false;
        }
        key = tape_[value].next;
      }
    }
    if (keep_ && !all_known && !inlined) KeepUnknown(message, object);
    for (std::size_t i = count; i-- > 0;) {
      const FieldDescriptor& field = message.fields[i];
      // Most fields of large messages are absent, and most of those leave no trace.
      const std::uint32_t member = members_[base + i];
      if (member == kNone && !field.inlined && (field.pointer || field.repeated || field.map)) {
        continue;
      }
      if (!Field(field, field.inlined ? object : member)) return false;
    }
    members_.resize(base);
    return true;
  }

  // The members of the object that neither the message nor those inlined into it have, first the last.
  void KeepUnknown(const MessageDescriptor& message, std::uint32_t object) {
    const std::size_t base = children_.size();
    for (std::uint32_t key = object + 1; key < tape_[object].next;) {
      const std::string_view name = tape_.String(key, scratch_);
      const bool type_meta =
          (object == 0 || message.type_meta) && (name == "kind" || name == "apiVersion");
      if (!type_meta && name != dropped_ && FindJsonMember(message, name) == nullptr) {
        children_.push_back(key);
      }
      key = tape_[key + 1].next;
    }
    for (; children_.size() > base; children_.pop_back()) {
      const std::uint32_t key = children_.back();
      std::string member;
      json::AppendQuoted(member, tape_.String(key, scratch_));
      member += ':';
      member += tape_.Text(key + 1);
      out_.StringField(kKeptMemberField, member);
    }
  }

  // The index of the member's field. Servers write members in json_order and leave some out: what is looked for mostly stands a little
  // behind the one before.
  static std::size_t IndexOf(const MessageDescriptor& message, std::string_view name,
                             std::size_t& expected) {
    const std::size_t end = std::min(expected + kNear, message.json_order.size());
    for (std::size_t i = expected; i < end; ++i) {
      const std::string_view at = message.fields[message.json_order[i]].json_name;
      if (at.size() == name.size() && !at.empty() && at.back() == name.back() && at == name) {
        expected = i + 1;
        return message.json_order[i];
      }
    }
    const FieldDescriptor* const field = FindByName(message, name);
    return field != nullptr ? static_cast<std::size_t>(field - message.fields.data()) : kNoField;
  }

  bool Field(const FieldDescriptor& field, std::uint32_t node) {
    if (field.inlined) return Value(field, field.number, node);
    if (field.map) return Missing(node) || Map(field, node);
    if (field.repeated) return Missing(node) || List(field, field.number, node);
    if (field.pointer && Missing(node)) return true;
    return Value(field, field.number, node);
  }

  bool List(const FieldDescriptor& field, std::uint32_t number, std::uint32_t array) {
    if (tape_[array].type != JsonType::kArray) return WrongType(array, "an array");
    const std::size_t base = children_.size();
    for (std::uint32_t at = array + 1; at < tape_[array].next; at = tape_[at].next) {
      children_.push_back(at);
    }
    while (children_.size() > base) {
      const std::uint32_t node = children_.back();
      children_.pop_back();
      if (!Value(field, number, node)) return false;
    }
    return true;
  }

  bool Map(const FieldDescriptor& field, std::uint32_t object) {
    if (tape_[object].type != JsonType::kObject) return WrongType(object, "an object");
    std::vector<std::pair<std::string, std::uint32_t>> entries;
    for (std::uint32_t key = object + 1; key < tape_[object].next;) {
      const std::uint32_t value = tape_[key].next;
      entries.emplace_back(tape_.String(key, scratch_), value);
      key = tape_[value].next;
    }
    std::sort(entries.begin(), entries.end());  // entries with equal keys stay in their order
    for (std::size_t i = entries.size(); i-- > 0;) {
      // Of entries with equal keys the last one holds.
      if (i + 1 < entries.size() && entries[i + 1].first == entries[i].first) continue;
      const std::size_t before = out_.size();
      if (!Value(field, 2, entries[i].second)) return false;
      out_.StringField(1, entries[i].first);
      out_.LengthAndTag(field.number, before);
    }
    return true;
  }

  // One value with its tag. Without a value: the zero value.
  bool Value(const FieldDescriptor& field, std::uint32_t number, std::uint32_t node) {
    const bool missing = Missing(node);
    switch (field.kind) {
      case FieldKind::kString:
        if (missing) {
          out_.StringField(number, {});
          return true;
        }
        if (tape_[node].type != JsonType::kString) return WrongType(node, "a string");
        out_.StringField(number, tape_.String(node, scratch_));
        return true;
      case FieldKind::kBool:
        if (!missing && tape_[node].type != JsonType::kTrue &&
            tape_[node].type != JsonType::kFalse) {
          return WrongType(node, "a boolean");
        }
        out_.VarintField(number, !missing && tape_[node].type == JsonType::kTrue ? 1 : 0);
        return true;
      case FieldKind::kInt32:
      case FieldKind::kInt64: {
        std::int64_t value = 0;
        if (!missing && !Integer(node, field.kind == FieldKind::kInt32, value)) return false;
        out_.VarintField(number, static_cast<std::uint64_t>(value));
        return true;
      }
      case FieldKind::kDouble: {
        double value = 0;
        if (!missing && !Double(node, value)) return false;
        out_.DoubleField(number, value);
        return true;
      }
      case FieldKind::kBytes:
        return missing || Base64(number, node);
      case FieldKind::kMessage: {
        const std::size_t before = out_.size();
        if (!Message(*field.message, missing ? kNone : node, field.inlined)) return false;
        out_.LengthAndTag(number, before);
        return true;
      }
      case FieldKind::kJsonUnion: {
        const std::size_t before = out_.size();
        if (!missing && !Union(*field.message, node)) return false;
        if (missing && field.message->union_kind != UnionKind::kStringList &&
            !Message(*field.message, kNone)) {
          return false;
        }
        out_.LengthAndTag(number, before);
        return true;
      }
      case FieldKind::kTime:
      case FieldKind::kMicroTime:
      case FieldKind::kDuration:
      case FieldKind::kQuantity:
      case FieldKind::kIntOrString:
      case FieldKind::kRawJson: {
        const std::size_t before = out_.size();
        if (!Special(field.kind, missing ? kNone : node)) return false;
        out_.LengthAndTag(number, before);
        return true;
      }
    }
    return true;
  }

  bool Integer(std::uint32_t node, bool narrow, std::int64_t& value) {
    if (tape_[node].type != JsonType::kNumber) return WrongType(node, "an integer");
    const std::string_view text = tape_.Text(node);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range ||
        (narrow && (value > std::numeric_limits<std::int32_t>::max() ||
                    value < std::numeric_limits<std::int32_t>::min()))) {
      return Fail(node, std::string(text) +
                            (narrow ? " does not fit into 32 bits" : " does not fit into 64 bits"));
    }
    if (end != text.data() + text.size()) {
      return Fail(node, "expected an integer, got " + std::string(text));
    }
    return true;
  }

  bool Double(std::uint32_t node, double& value) {
    if (tape_[node].type != JsonType::kNumber) return WrongType(node, "a number");
    const std::string_view text = tape_.Text(node);
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
      return Fail(node, std::string(text) + " is too large");
    }
    return true;
  }

  bool Base64(std::uint32_t number, std::uint32_t node) {
    if (tape_[node].type != JsonType::kString) return WrongType(node, "a string");
    const std::optional<std::string> bytes = Base64Decode(tape_.String(node, scratch_));
    // Not the text itself: it may be a Secret's.
    if (!bytes) return Fail(node, "the string is not valid base64");
    out_.StringField(number, *bytes);
    return true;
  }

  // The content of a value that has a text form of its own.
  bool Special(FieldKind kind, std::uint32_t node) {
    if (kind == FieldKind::kRawJson) {
      if (node != kNone) out_.StringField(1, tape_.Text(node));
      return true;
    }
    const bool string = node != kNone && tape_[node].type == JsonType::kString;
    const bool number = node != kNone && tape_[node].type == JsonType::kNumber;
    if (kind == FieldKind::kIntOrString) {
      std::int64_t value = 0;
      if (node != kNone && !string && !number) return WrongType(node, "a number or a string");
      if (number && !Integer(node, true, value)) return false;
      out_.StringField(3, string ? tape_.String(node, scratch_) : std::string_view());
      out_.VarintField(2, static_cast<std::uint64_t>(value));
      out_.VarintField(1, string ? 1 : 0);
      return true;
    }
    if (kind == FieldKind::kQuantity) return Quantity(node, string, number);
    if (node != kNone && !string) return WrongType(node, "a string");
    const std::string_view text = string ? tape_.String(node, scratch_) : std::string_view();
    if (kind == FieldKind::kDuration) {
      std::optional<std::int64_t> nanos = 0;
      if (string) nanos = ParseGoDuration(text);
      if (!nanos) {
        return Fail(node, "\"" + std::string(text) + "\" is no duration such as \"1h30m\"");
      }
      out_.VarintField(1, static_cast<std::uint64_t>(*nanos));
      return true;
    }
    if (!string) return true;  // no time
    const std::optional<TimeStamp> time = ParseRfc3339(text);
    if (!time) {
      return Fail(node, "\"" + std::string(text) +
                            "\" is no RFC 3339 time such as \"2026-03-01T10:00:00Z\"");
    }
    if (time->seconds == kZeroTimeSeconds && time->nanos == 0) return true;
    const std::int32_t nanos = kind == FieldKind::kMicroTime ? time->nanos / 1000 * 1000 : 0;
    out_.VarintField(2, static_cast<std::uint64_t>(nanos));
    out_.VarintField(1, static_cast<std::uint64_t>(time->seconds));
    return true;
  }

  bool Quantity(std::uint32_t node, bool string, bool number) {
    if (node == kNone) {
      out_.StringField(1, "0");
      return true;
    }
    if (!string && !number) return WrongType(node, "a quantity");
    std::string_view text = string ? tape_.String(node, scratch_) : tape_.Text(node);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (!IsQuantityText(text)) {
      return Fail(node, "\"" + std::string(text) + "\" is no quantity such as \"500m\" or \"2Gi\"");
    }
    out_.StringField(1, text);
    return true;
  }

  // apiextensions' unions: {1: schema, 2: list}, or {1: allows, 2: schema}; lists of strings: {1: items}.
  bool Union(const MessageDescriptor& message, std::uint32_t node) {
    const JsonType type = tape_[node].type;
    const auto field = [&](std::uint32_t number) -> const FieldDescriptor& {
      return *FindByNumber(message, number);
    };
    switch (message.union_kind) {
      case UnionKind::kSchemaOrArray:
      case UnionKind::kSchemaOrStringArray:
        if (type == JsonType::kArray) return List(field(2), 2, node);
        return type == JsonType::kObject ? Value(field(1), 1, node)
                                         : WrongType(node, "an object or an array");
      case UnionKind::kSchemaOrBool:
        if (type == JsonType::kObject) {
          if (!Value(field(2), 2, node)) return false;
          out_.VarintField(1, 1);
          return true;
        }
        return type == JsonType::kTrue || type == JsonType::kFalse
                   ? Value(field(1), 1, node)
                   : WrongType(node, "an object or a boolean");
      case UnionKind::kStringList:
        return List(field(1), 1, node);
      case UnionKind::kNone:
        break;
    }
    return Message(message, node);
  }

  const JsonTape& tape_;
  BackwardWriter& out_;
  const bool keep_;
  const std::string_view dropped_;
  std::vector<std::uint32_t> members_;   // per field of the messages being written: its value
  std::vector<std::uint32_t> children_;  // elements of the lists being written
  std::string scratch_;
  std::uint32_t failed_at_ = 0;
  std::string error_;
};

// Walks the JSON in its own order and names what the schema lacks.
class FieldChecker {
 public:
  FieldChecker(const JsonTape& tape, FieldProblems& problems) : tape_(tape), problems_(problems) {}

  void Object(const MessageDescriptor& message, std::uint32_t object) {
    if (tape_[object].type != JsonType::kObject) return;
    std::vector<std::string> seen;
    for (std::uint32_t key = object + 1; key < tape_[object].next;) {
      const std::uint32_t value = tape_[key].next;
      std::string name(tape_.String(key, scratch_));
      const FieldDescriptor* field = FindJsonMember(message, name);
      const bool type_meta = message.type_meta && (name == "kind" || name == "apiVersion");
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        Report(problems_.duplicate, "duplicate", key);
      } else if (field == nullptr && !type_meta && !(object == 0 && IsTypeMeta(name))) {
        Report(problems_.unknown, "unknown", key);
      }
      if (field != nullptr && field->message != nullptr) Value(*field, value);
      seen.push_back(std::move(name));
      key = tape_[value].next;
    }
  }

 private:
  static bool IsTypeMeta(std::string_view name) { return name == "kind" || name == "apiVersion"; }

  void Report(std::vector<std::string>& list, std::string_view what, std::uint32_t key) {
    list.push_back(std::string(what) + " field \"" + tape_.PathOf(key) + "\"");
  }

  void Value(const FieldDescriptor& field, std::uint32_t node) {
    if (!field.map && !field.repeated) return One(*field.message, node);
    const bool keyed = tape_[node].type == JsonType::kObject;
    for (std::uint32_t at = node + 1; at < tape_[node].next; at = tape_[at].next) {
      if (keyed) at = tape_[at].next;
      One(*field.message, at);
    }
  }

  void One(const MessageDescriptor& message, std::uint32_t node) {
    if (message.union_kind == UnionKind::kNone) return Object(message, node);
    for (const FieldDescriptor& field : message.fields) {
      if (field.message == nullptr) continue;
      if (tape_[node].type == JsonType::kArray && field.repeated) Value(field, node);
      if (tape_[node].type == JsonType::kObject && !field.repeated) Object(*field.message, node);
    }
  }

  const JsonTape& tape_;
  FieldProblems& problems_;
  std::string scratch_;
};

}  // namespace

Result<void> JsonToProtobuf(const MessageDescriptor& message, const JsonTape& tape,
                            std::uint32_t node, BackwardWriter& out, UnknownMembers unknown,
                            std::string_view dropped) {
  Encoder encoder(tape, out, unknown, dropped);
  if (!encoder.Run(message, node)) return encoder.TakeError();
  return {};
}

Result<std::string> JsonToProtobuf(const MessageDescriptor& message, std::string_view json,
                                   FieldProblems* problems, UnknownMembers unknown) {
  Result<JsonTape> tape = JsonTape::Parse(json);
  if (!tape) return std::move(tape).error();
  BackwardWriter out(json.size());
  if (Result<void> done = JsonToProtobuf(message, *tape, 0, out, unknown); !done) {
    return std::move(done).error();
  }
  if (problems != nullptr) FieldChecker(*tape, *problems).Object(message, 0);
  return std::string(out.view());
}

bool HasUnknownFields(const MessageDescriptor& message, std::string_view bytes) {
  wire::ProtobufReader reader(bytes);
  while (reader.Next()) {
    const FieldDescriptor* const field = FindByNumber(message, reader.field());
    if (field == nullptr) {
      if (reader.field() != kKeptMemberField) return true;
      continue;
    }
    if (field->message == nullptr || reader.type() != wire::WireType::kBytes) continue;
    if (!field->map) {
      if (HasUnknownFields(*field->message, reader.bytes())) return true;
      continue;
    }
    wire::ProtobufReader entry(reader.bytes());
    while (entry.Next()) {
      if (entry.field() == 2 && entry.type() == wire::WireType::kBytes &&
          HasUnknownFields(*field->message, entry.bytes())) {
        return true;
      }
    }
  }
  return false;
}

bool HasKeptMembers(std::string_view message) {
  return message.find("\xfa\xff\xff\xff\x0f") != std::string_view::npos;  // the field's tag
}

std::string TypeMetaJson(std::string_view kind, std::string_view api_version) {
  std::string out = "\"kind\":";
  json::AppendQuoted(out, kind);
  out += ",\"apiVersion\":";
  json::AppendQuoted(out, api_version);
  return out;
}

}  // namespace kinformer::internal
