// object/transcode/message_encoder.h
//
// MessageEncoder: encodes JSON values from any source (a tape, a document) as the protobuf form of
// a message. The forms are described in object/transcode/transcode.h.

#ifndef KINFORMER_OBJECT_TRANSCODE_MESSAGE_ENCODER_H_
#define KINFORMER_OBJECT_TRANSCODE_MESSAGE_ENCODER_H_

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

#include "object/transcode/backward_writer.h"
#include "object/transcode/json_tape.h"
#include "object/transcode/kept_members.h"
#include "object/values/text_forms.h"

namespace kinformer::internal {

// Writes the protobuf form of the source's values, last field first. After Fail, every function
// returns false.
//
// A Source defines a type Node, cheap to copy, with a value kNone for a missing node, and Type,
// String, Text, TypeName, members and items of nodes. Names and texts are valid until the next call
// with the same scratch.
template <class Source>
class MessageEncoder {
 public:
  using Node = typename Source::Node;

  MessageEncoder(const Source& source, BackwardWriter& out, UnknownMembers unknown,
                 std::string_view dropped)
      : source_(source), out_(out), keep_(unknown == UnknownMembers::kKeep), dropped_(dropped) {}

  bool Run(const MessageDescriptor& message, Node object) { return Message(message, object); }
  Error TakeError() { return source_.ErrorAt(failed_at_, error_); }

 private:
  static constexpr Node kNone = Source::kNone;
  static constexpr std::size_t kNoField = std::numeric_limits<std::size_t>::max();
  // Number of fields searched near the expected one before all are searched.
  static constexpr std::size_t kNear = 12;

  bool Fail(Node node, std::string what) {
    failed_at_ = node;
    error_ = std::move(what);
    return false;
  }
  bool WrongType(Node node, std::string_view wanted) {
    return Fail(node,
                "expected " + std::string(wanted) + ", got " + std::string(source_.TypeName(node)));
  }
  // A missing value is treated as null.
  bool Missing(Node node) const { return node == kNone || source_.Type(node) == JsonType::kNull; }

  // Writes the content of a message. If `object` is kNone, all members are absent.
  bool Message(const MessageDescriptor& message, Node object, bool inlined = false) {
    bool all_known = true;
    const std::size_t base = members_.size();
    const std::size_t count = message.fields.size();
    members_.resize(base + count, kNone);
    if (object != kNone) {
      if (source_.Type(object) != JsonType::kObject) return WrongType(object, "an object");
      std::size_t expected = 0;  // in json_order
      source_.ForEachMember(object, scratch_, [&](std::string_view name, Node value) {
        const std::size_t index = IndexOf(message, name, expected);
        if (index != kNoField) {
          members_[base + index] = value;
        } else {
          all_known = false;
        }
      });
    }
    if constexpr (Source::kKeeps) {
      if (keep_ && !all_known && !inlined) KeepUnknown(message, object);
    }
    for (std::size_t i = count; i-- > 0;) {
      const FieldDescriptor& field = message.fields[i];
      // Most fields of large messages are absent, and most absent fields write nothing.
      const Node member = members_[base + i];
      if (member == kNone && !field.inlined && (field.pointer || field.repeated || field.map)) {
        continue;
      }
      if (!Field(field, field.inlined ? object : member)) return false;
    }
    members_.resize(base);
    return true;
  }

  // Keeps the members of the object that neither the message nor a message inlined into it has.
  // Written first to last.
  void KeepUnknown(const MessageDescriptor& message, Node object) {
    std::vector<std::string> kept;
    source_.ForEachMember(object, scratch_, [&](std::string_view name, Node value) {
      const bool type_meta =
          (source_.IsRoot(object) || message.type_meta) && (name == "kind" || name == "apiVersion");
      if (type_meta || name == dropped_ || FindJsonMember(message, name) != nullptr) return;
      std::string& member = kept.emplace_back();
      json::AppendQuoted(member, name);
      member += ':';
      member += source_.Text(value, scratch_);
    });
    for (; !kept.empty(); kept.pop_back()) out_.StringField(kKeptMemberField, kept.back());
  }

  // Returns the index of the member's field. Servers write members in json_order and leave some
  // out, so the field is usually a few places behind the last one.
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

  bool Field(const FieldDescriptor& field, Node node) {
    if (field.inlined) return Value(field, field.number, node);
    if (field.map) return Missing(node) || Map(field, node);
    if (field.repeated) return Missing(node) || List(field, field.number, node);
    if (field.pointer && Missing(node)) return true;
    return Value(field, field.number, node);
  }

  bool List(const FieldDescriptor& field, std::uint32_t number, Node array) {
    if (source_.Type(array) != JsonType::kArray) return WrongType(array, "an array");
    const std::size_t base = children_.size();
    source_.ForEachItem(array, [&](Node item) { children_.push_back(item); });
    while (children_.size() > base) {
      const Node node = children_.back();
      children_.pop_back();
      if (!Value(field, number, node)) return false;
    }
    return true;
  }

  bool Map(const FieldDescriptor& field, Node object) {
    if (source_.Type(object) != JsonType::kObject) return WrongType(object, "an object");
    std::vector<std::pair<std::string, Node>> entries;
    source_.ForEachMember(object, scratch_, [&](std::string_view name, Node value) {
      entries.emplace_back(name, value);
    });
    std::sort(entries.begin(), entries.end());  // entries with equal keys stay in their order
    for (std::size_t i = entries.size(); i-- > 0;) {
      // The last one of several entries with equal keys wins.
      if (i + 1 < entries.size() && entries[i + 1].first == entries[i].first) continue;
      const std::size_t before = out_.size();
      if (!Value(field, 2, entries[i].second)) return false;
      out_.StringField(1, entries[i].first);
      out_.LengthAndTag(field.number, before);
    }
    return true;
  }

  // Writes one value with its tag. A missing value is written as the zero value.
  bool Value(const FieldDescriptor& field, std::uint32_t number, Node node) {
    const bool missing = Missing(node);
    switch (field.kind) {
      case FieldKind::kString:
        if (missing) {
          out_.StringField(number, {});
          return true;
        }
        if (source_.Type(node) != JsonType::kString) return WrongType(node, "a string");
        out_.StringField(number, source_.String(node, scratch_));
        return true;
      case FieldKind::kBool:
        if (!missing && source_.Type(node) != JsonType::kTrue &&
            source_.Type(node) != JsonType::kFalse) {
          return WrongType(node, "a boolean");
        }
        out_.VarintField(number, !missing && source_.Type(node) == JsonType::kTrue ? 1 : 0);
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

  bool Integer(Node node, bool narrow, std::int64_t& value) {
    if (source_.Type(node) != JsonType::kNumber) return WrongType(node, "an integer");
    const std::string_view text = source_.Text(node, scratch_);
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

  bool Double(Node node, double& value) {
    if (source_.Type(node) != JsonType::kNumber) return WrongType(node, "a number");
    const std::string_view text = source_.Text(node, scratch_);
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
      return Fail(node, std::string(text) + " is too large");
    }
    return true;
  }

  bool Base64(std::uint32_t number, Node node) {
    if (source_.Type(node) != JsonType::kString) return WrongType(node, "a string");
    const std::optional<std::string> bytes = Base64Decode(source_.String(node, scratch_));
    // The error does not contain the text, which may be from a Secret.
    if (!bytes) return Fail(node, "the string is not valid base64");
    out_.StringField(number, *bytes);
    return true;
  }

  // Writes the content of a value whose JSON form is a text.
  bool Special(FieldKind kind, Node node) {
    if (kind == FieldKind::kRawJson) {
      if (node != kNone) out_.StringField(1, source_.Text(node, scratch_));
      return true;
    }
    const bool string = node != kNone && source_.Type(node) == JsonType::kString;
    const bool number = node != kNone && source_.Type(node) == JsonType::kNumber;
    if (kind == FieldKind::kIntOrString) {
      std::int64_t value = 0;
      if (node != kNone && !string && !number) return WrongType(node, "a number or a string");
      if (number && !Integer(node, true, value)) return false;
      out_.StringField(3, string ? source_.String(node, scratch_) : std::string_view());
      out_.VarintField(2, static_cast<std::uint64_t>(value));
      out_.VarintField(1, string ? 1 : 0);
      return true;
    }
    if (kind == FieldKind::kQuantity) return Quantity(node, string, number);
    if (node != kNone && !string) return WrongType(node, "a string");
    const std::string_view text = string ? source_.String(node, scratch_) : std::string_view();
    if (kind == FieldKind::kDuration) {
      std::optional<std::int64_t> nanos = 0;
      if (string) nanos = ParseGoDuration(text);
      if (!nanos) {
        return Fail(node, "\"" + std::string(text) + "\" is no duration such as \"1h30m\"");
      }
      out_.VarintField(1, static_cast<std::uint64_t>(*nanos));
      return true;
    }
    if (!string) return true;  // null is the zero time
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

  bool Quantity(Node node, bool string, bool number) {
    if (node == kNone) {
      out_.StringField(1, "0");
      return true;
    }
    if (!string && !number) return WrongType(node, "a quantity");
    std::string_view text = string ? source_.String(node, scratch_) : source_.Text(node, scratch_);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (!IsQuantityText(text)) {
      return Fail(node, "\"" + std::string(text) + "\" is no quantity such as \"500m\" or \"2Gi\"");
    }
    out_.StringField(1, text);
    return true;
  }

  // Unions of apiextensions: {1: schema, 2: list} or {1: allows, 2: schema}; a list of strings is
  // {1: items}.
  bool Union(const MessageDescriptor& message, Node node) {
    const JsonType type = source_.Type(node);
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

  const Source& source_;
  BackwardWriter& out_;
  const bool keep_;
  const std::string_view dropped_;
  std::vector<Node> members_;   // the value of each field of the messages being written
  std::vector<Node> children_;  // elements of the lists being written
  std::string scratch_;
  Node failed_at_ = kNone;
  std::string error_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_MESSAGE_ENCODER_H_
