#include "api/testing/oracle_schema.h"

#include <bit>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "kinformer/object/int_or_string.h"

namespace kinformer::testing {
namespace {

namespace pb = google::protobuf;
using internal::FieldDescriptor;
using internal::FieldKind;
using internal::MessageDescriptor;
using internal::MessageMap;
using internal::MessageView;
using internal::Repeated;

std::string FieldName(std::uint32_t number) { return "f" + std::to_string(number); }

void AddField(pb::DescriptorProto& message, int number, pb::FieldDescriptorProto::Type type) {
  pb::FieldDescriptorProto& field = *message.add_field();
  field.set_name("f" + std::to_string(number));
  field.set_number(number);
  field.set_label(pb::FieldDescriptorProto::LABEL_OPTIONAL);
  field.set_type(type);
}

// Canonical text of one value: numbers as decimal text, strings unchanged, nested messages.
std::string Number(std::int64_t value) { return std::to_string(value); }
std::string Number(double value) { return std::to_string(std::bit_cast<std::uint64_t>(value)); }

std::string Time(bool there, std::int64_t seconds, std::int64_t nanos, FieldKind kind) {
  if (!there) return {};
  std::string text = "t" + Number(seconds);
  if (kind == FieldKind::kMicroTime) text += "." + Number(nanos / 1000);
  return text;
}

// Value of an absent field whose Go type is not a pointer.
std::string Zero(FieldKind kind) {
  switch (kind) {
    case FieldKind::kBool:
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kDuration:
    case FieldKind::kQuantity:
      return "0";
    case FieldKind::kDouble:
      return Number(0.0);
    case FieldKind::kIntOrString:
      return "i0";
    default:
      return {};
  }
}

// Fields in order, each with its number, without empty ones.
class Text {
 public:
  void Single(const FieldDescriptor& field, const std::optional<std::string>& value) {
    if (!value || (!field.pointer && *value == Zero(field.kind))) return;
    out_ += std::to_string(field.number) + ":" + *value + ";";
  }
  void List(const FieldDescriptor& field, const std::vector<std::string>& values) {
    if (values.empty()) return;
    out_ += std::to_string(field.number) + ":[";
    for (const std::string& value : values) out_ += value + ",";
    out_ += "];";
  }
  void Map(const FieldDescriptor& field, const std::map<std::string, std::string>& values) {
    if (values.empty()) return;
    out_ += std::to_string(field.number) + ":{";
    for (const auto& [key, value] : values) out_ += key + "=" + value + ",";
    out_ += "};";
  }
  void Append(const std::string& text) { out_ += text; }
  [[nodiscard]] std::string Take() const { return out_.empty() ? out_ : "(" + out_ + ")"; }

 private:
  std::string out_;
};

// ---- Messages read by libprotobuf

class OfMessage {
 public:
  OfMessage(const pb::Message& message, bool unknown)
      : message_(message), reflection_(*message.GetReflection()), unknown_(unknown) {}

  [[nodiscard]] std::string Write(const MessageDescriptor& type) const {
    Text text;
    for (const FieldDescriptor& field : type.fields) {
      const pb::FieldDescriptor* theirs =
          message_.GetDescriptor()->FindFieldByNumber(static_cast<int>(field.number));
      if (field.map) {
        std::map<std::string, std::string> entries;
        for (int i = 0; i < reflection_.FieldSize(message_, theirs); ++i) {
          const OfMessage entry(reflection_.GetRepeatedMessage(message_, theirs, i), unknown_);
          entries[entry.Member(1, FieldKind::kString, nullptr)] =
              entry.Member(2, field.kind, field.message);
        }
        text.Map(field, entries);
      } else if (field.repeated) {
        std::vector<std::string> values;
        for (int i = 0; i < reflection_.FieldSize(message_, theirs); ++i) {
          values.push_back(Value(theirs, i, field.kind, field.message));
        }
        text.List(field, values);
      } else if (!field.pointer || reflection_.HasField(message_, theirs)) {
        text.Single(field, Value(theirs, -1, field.kind, field.message));
      }
    }
    if (unknown_) text.Append(Unknown());
    return text.Take();
  }

 private:
  [[nodiscard]] std::string Member(int number, FieldKind kind,
                                   const MessageDescriptor* type) const {
    return Value(message_.GetDescriptor()->FindFieldByNumber(number), -1, kind, type);
  }
  [[nodiscard]] std::int64_t Int(int number) const {
    const pb::FieldDescriptor* field = message_.GetDescriptor()->FindFieldByNumber(number);
    return field->cpp_type() == pb::FieldDescriptor::CPPTYPE_INT32
               ? reflection_.GetInt32(message_, field)
               : reflection_.GetInt64(message_, field);
  }
  [[nodiscard]] std::string String(int number) const {
    return reflection_.GetString(message_, message_.GetDescriptor()->FindFieldByNumber(number));
  }
  [[nodiscard]] bool IsEmpty() const { return message_.ByteSizeLong() == 0; }

  // `index`: position in a list; -1 if the field is not a list.
  [[nodiscard]] std::string Value(const pb::FieldDescriptor* field, int index, FieldKind kind,
                                  const MessageDescriptor* type) const {
    const auto get = [&](auto single, auto repeated) {
      return index < 0 ? (reflection_.*single)(message_, field)
                       : (reflection_.*repeated)(message_, field, index);
    };
    using R = pb::Reflection;
    switch (kind) {
      case FieldKind::kString:
      case FieldKind::kBytes:
        return get(&R::GetString, &R::GetRepeatedString);
      case FieldKind::kBool:
        return Number(std::int64_t{get(&R::GetBool, &R::GetRepeatedBool) ? 1 : 0});
      case FieldKind::kInt32:
        return Number(std::int64_t{get(&R::GetInt32, &R::GetRepeatedInt32)});
      case FieldKind::kInt64:
        return Number(std::int64_t{get(&R::GetInt64, &R::GetRepeatedInt64)});
      case FieldKind::kDouble:
        return Number(get(&R::GetDouble, &R::GetRepeatedDouble));
      default:
        break;
    }
    const OfMessage inner(index < 0 ? reflection_.GetMessage(message_, field)
                                    : reflection_.GetRepeatedMessage(message_, field, index),
                          unknown_);
    switch (kind) {
      case FieldKind::kTime:
      case FieldKind::kMicroTime:
        return Time(!inner.IsEmpty(), inner.Int(1), inner.Int(2), kind);
      case FieldKind::kDuration:
        return Number(inner.Int(1));
      case FieldKind::kQuantity:
        return inner.String(1).empty() ? "0" : inner.String(1);
      case FieldKind::kIntOrString:
        return inner.Int(1) == 1 ? "s" + inner.String(3) : "i" + Number(inner.Int(2));
      case FieldKind::kRawJson:
        return inner.String(1);
      default:
        return inner.Write(*type);
    }
  }

  [[nodiscard]] std::string Unknown() const {
    // Sorted by number, as they may be sorted at entry; those with equal numbers keep their order.
    std::multimap<int, std::string> fields;
    const pb::UnknownFieldSet& set = reflection_.GetUnknownFields(message_);
    for (int i = 0; i < set.field_count(); ++i) {
      const pb::UnknownField& field = set.field(i);
      std::string out = "u" + std::to_string(field.number()) + ":";
      switch (field.type()) {
        case pb::UnknownField::TYPE_VARINT:
          out += std::to_string(field.varint());
          break;
        case pb::UnknownField::TYPE_FIXED32:
          out += std::to_string(field.fixed32());
          break;
        case pb::UnknownField::TYPE_FIXED64:
          out += std::to_string(field.fixed64());
          break;
        case pb::UnknownField::TYPE_LENGTH_DELIMITED:
          out += field.length_delimited();
          break;
        default:
          out += "group";
      }
      fields.emplace(field.number(), out + ";");
    }
    std::string all;
    for (const auto& [number, text] : fields) all += text;
    return all;
  }

  const pb::Message& message_;
  const pb::Reflection& reflection_;
  const bool unknown_;
};

// ---- Messages read by views

std::string OfView(const MessageView& message, FieldKind kind, const MessageDescriptor* type) {
  switch (kind) {
    case FieldKind::kTime:
    case FieldKind::kMicroTime:
      return Time(!message.bytes().empty(), internal::GetInt64(message, 1),
                  internal::GetInt32(message, 2), kind);
    case FieldKind::kDuration:
      return Number(internal::GetInt64(message, 1));
    case FieldKind::kQuantity: {
      const std::string_view text = internal::GetString(message, 1);
      return text.empty() ? "0" : std::string(text);
    }
    case FieldKind::kIntOrString: {
      const intstr::IntOrString either(message);
      return either.is_string() ? "s" + std::string(either.StrVal())
                                : "i" + Number(std::int64_t{either.IntVal()});
    }
    case FieldKind::kRawJson:
      return std::string(internal::GetBytes(message, 1));
    default:
      return CanonicalText(message, *type);
  }
}

// Calls `read` with a value of the type of the field's elements.
template <class Read>
void ByKind(FieldKind kind, Read&& read) {
  switch (kind) {
    case FieldKind::kString:
    case FieldKind::kBytes:
      return read(std::string_view());
    case FieldKind::kBool:
      return read(false);
    case FieldKind::kInt32:
      return read(std::int32_t{});
    case FieldKind::kInt64:
      return read(std::int64_t{});
    case FieldKind::kDouble:
      return read(double{});
    default:
      return read(MessageView());
  }
}

template <class T>
std::string ToText(const T& value, const FieldDescriptor& field) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return std::string(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return Number(value);
  } else if constexpr (std::is_same_v<T, MessageView>) {
    return OfView(value, field.kind, field.message);
  } else {
    return Number(static_cast<std::int64_t>(value));
  }
}

}  // namespace

std::string CanonicalText(const pb::Message& message, const MessageDescriptor& type, bool unknown) {
  return OfMessage(message, unknown).Write(type);
}

std::string CanonicalText(const MessageView& message, const MessageDescriptor& type) {
  Text text;
  for (const FieldDescriptor& field : type.fields) {
    ByKind(field.kind, [&]<class T>(const T&) {
      if (field.map) {
        std::map<std::string, std::string> entries;
        for (const auto& [key, value] : MessageMap<T>(message, field.number)) {
          entries[std::string(key)] = ToText<T>(value, field);
        }
        text.Map(field, entries);
      } else if (field.repeated) {
        std::vector<std::string> values;
        for (const T value : Repeated<T>(message, field.number)) {
          values.push_back(ToText<T>(value, field));
        }
        text.List(field, values);
      } else if (!field.pointer || internal::Has(message, field.number)) {
        text.Single(field, ToText<T>(internal::Get<T>(message, field.number), field));
      }
    });
  }
  return text.Take();
}

OracleSchema::OracleSchema() {
#if GOOGLE_PROTOBUF_VERSION < 4022000
  // Suppresses messages about keys that are not UTF-8.
  pb::SetLogHandler(nullptr);
#endif
}

std::unique_ptr<pb::Message> OracleSchema::New(const MessageDescriptor& message) {
  const std::string name = Add(message);
  if (file_.message_type_size() > 0) {
    file_.set_name("oracle" + std::to_string(files_++));
    file_.set_package("oracle");
    const pb::FileDescriptor* built = pool_.BuildFile(file_);
    if (built == nullptr) std::abort();
    const std::string dependency = file_.name();
    pb::FileDescriptorProto next;
    *next.mutable_dependency() = file_.dependency();
    next.add_dependency(dependency);
    file_ = std::move(next);
  }
  const pb::Descriptor* found = pool_.FindMessageTypeByName("oracle." + name);
  if (found == nullptr) std::abort();
  return std::unique_ptr<pb::Message>(factory_.GetPrototype(found)->New());
}

std::string OracleSchema::Special(FieldKind kind) {
  static const int kKeys[] = {0, 1, 2, 3, 4};
  using P = pb::FieldDescriptorProto;
  std::vector<P::Type> types;
  int key = 0;
  switch (kind) {
    case FieldKind::kTime:
    case FieldKind::kMicroTime:
      types = {P::TYPE_INT64, P::TYPE_INT32};
      break;
    case FieldKind::kDuration:
      types = {P::TYPE_INT64};
      key = 1;
      break;
    case FieldKind::kQuantity:
      types = {P::TYPE_BYTES};
      key = 2;
      break;
    case FieldKind::kIntOrString:
      types = {P::TYPE_INT64, P::TYPE_INT32, P::TYPE_BYTES};
      key = 3;
      break;
    default:
      types = {P::TYPE_BYTES};
      key = 4;
  }
  std::string& name = names_[&kKeys[key]];
  if (name.empty()) {
    name = "Special" + std::to_string(key);
    pb::DescriptorProto& proto = *file_.add_message_type();
    proto.set_name(name);
    for (std::size_t i = 0; i < types.size(); ++i) {
      AddField(proto, static_cast<int>(i) + 1, types[i]);
    }
  }
  return name;
}

void OracleSchema::SetType(const FieldDescriptor& field, pb::FieldDescriptorProto& proto) {
  using P = pb::FieldDescriptorProto;
  switch (field.kind) {
    case FieldKind::
        kString:  // the same on the wire, and libprotobuf does not log text that is not UTF-8
    case FieldKind::kBytes:
      return proto.set_type(P::TYPE_BYTES);
    case FieldKind::kBool:
      return proto.set_type(P::TYPE_BOOL);
    case FieldKind::kInt32:
      return proto.set_type(P::TYPE_INT32);
    case FieldKind::kInt64:
      return proto.set_type(P::TYPE_INT64);
    case FieldKind::kDouble:
      return proto.set_type(P::TYPE_DOUBLE);
    default:
      proto.set_type(P::TYPE_MESSAGE);
      proto.set_type_name(".oracle." +
                          (field.message != nullptr ? Add(*field.message) : Special(field.kind)));
  }
}

std::string OracleSchema::Add(const MessageDescriptor& message) {
  std::string& name = names_[&message];
  if (!name.empty()) return name;
  name = "M" + std::to_string(names_.size());
  const std::string made = name;
  Proto proto;
  proto.set_name(made);
  for (const FieldDescriptor& field : message.fields) {
    pb::FieldDescriptorProto& out = *proto.add_field();
    out.set_name(FieldName(field.number));
    out.set_number(static_cast<int>(field.number));
    out.set_label(field.repeated || field.map ? pb::FieldDescriptorProto::LABEL_REPEATED
                                              : pb::FieldDescriptorProto::LABEL_OPTIONAL);
    if (!field.map) {
      SetType(field, out);
      continue;
    }
    const std::string entry_name = "F" + std::to_string(field.number) + "Entry";
    Proto& entry = *proto.add_nested_type();
    entry.set_name(entry_name);
    entry.mutable_options()->set_map_entry(true);
    AddField(entry, 1, pb::FieldDescriptorProto::TYPE_STRING);
    AddField(entry, 2, pb::FieldDescriptorProto::TYPE_BYTES);
    entry.mutable_field(0)->set_name("key");
    entry.mutable_field(1)->set_name("value");
    SetType(field, *entry.mutable_field(1));
    out.set_type(pb::FieldDescriptorProto::TYPE_MESSAGE);
    out.set_type_name(".oracle." + made + "." + entry_name);
  }
  *file_.add_message_type() = std::move(proto);
  return made;
}

}  // namespace kinformer::testing
