// kinformer/internal/fields_codec.h
//
// Implementation of fields.h: reads and writes a user's structs.

#ifndef KINFORMER_INTERNAL_FIELDS_CODEC_H_
#define KINFORMER_INTERNAL_FIELDS_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/field_facts.h"
#include "kinformer/json/json.h"
#include "kinformer/json/json_view.h"
#include "kinformer/object/box.h"
#include "kinformer/object/mutable_values.h"
#include "kinformer/object/quantity.h"
#include "kinformer/object/time.h"

namespace kinformer {

namespace internal {

template <class T>
inline constexpr bool kNever = false;

// Codec of generated structs (metav1::Condition::Mutable), in mutable_codec.h, which programs with
// such structs include with them.
std::string EncodeMutable(const MutableTable& table, const void* object);
std::string EncodeMutableJson(const MutableTable& table, const void* object);
Result<void> DecodeMutableJson(const MutableTable& table, std::string_view json, void* object);

// State of reading. After an error, the path is built from the inside to the outside.
struct FieldsReading {
  std::string path{};
  std::string what{};
  std::size_t dropped = 0;

  bool Fail(std::string why) {
    what = std::move(why);
    return false;
  }
  bool WrongType(std::string_view wanted, json::Type got);
  bool Within(std::string_view name);   // puts a member's name in front of the path; returns false
  bool Within(std::size_t index);       // adds an item's index; returns false
  [[nodiscard]] Error ToError() const;  // kDecode
};

// Read values with a text form: times, durations, quantities.
bool ReadText(std::string_view text, metav1::Time& out, FieldsReading& reading);
bool ReadText(std::string_view text, metav1::MicroTime& out, FieldsReading& reading);
bool ReadText(std::string_view text, metav1::Duration& out, FieldsReading& reading);
bool ReadText(std::string_view text, resource::Quantity& out, FieldsReading& reading);
// Reports that a number's text does not fit; returns false.
bool FailInteger(std::string_view text, std::size_t bits, FieldsReading& reading);

inline std::string FieldNumberText(const json::Value& v) { return v.NumberText(); }
inline std::string FieldNumberText(const json::View& v) { return std::string(v.raw()); }
inline std::string FieldText(const json::Value& v) { return v.Dump(); }
inline std::string_view FieldText(const json::View& v) { return v.raw(); }
inline json::Value FieldValue(const json::Value& v) { return v; }
inline json::Value FieldValue(const json::View& v) { return v.ToValue(); }

template <class J, class T>
bool DecodeField(const J& json, T& out, FieldsReading& reading);

// Reads a member of the struct if it has this name; sets `found`.
template <class J, class T>
bool DecodeMember(std::string_view name, const J& json, T& out, FieldsReading& reading,
                  bool& found) {
  bool ok = true;
  EachField(out, [&]<class Member>(const FieldFacts& field, Member& member) {
    if constexpr (!kIsBag<Member>) {
      if (found || field.name != name) return;
      found = true;
      ok = DecodeField(json, member, reading) || reading.Within(name);
    }
  });
  return ok;
}

template <class J, class T>
bool DecodeStruct(const J& json, T& out, FieldsReading& reading) {
  if (json.type() != json::Type::kObject) return reading.WrongType("an object", json.type());
  for (const auto& [name, value] : json.members()) {
    bool found = false;
    if (!DecodeMember(name, value, out, reading, found)) return false;
    if (found) continue;
    bool kept = false;
    if constexpr (HasBag<T>()) {
      EachField(out, [&, &n = name, &v = value]<class Member>(const FieldFacts&, Member& member) {
        if constexpr (kIsBag<Member>) {
          member.members.Set(n, FieldValue(v));
          kept = true;
        }
      });
    }
    if (!kept) ++reading.dropped;
  }
  return true;
}

template <class J, class T>
bool DecodeNumber(const J& json, T& out, FieldsReading& reading) {
  if constexpr (std::is_floating_point_v<T>) {
    const std::optional<double> number = json.AsDouble();
    if (!number) return reading.WrongType("a number", json.type());
    out = static_cast<T>(*number);
    return true;
  } else {
    if (json.type() != json::Type::kNumber) return reading.WrongType("an integer", json.type());
    if (const std::optional<std::int64_t> number = json.AsInt64()) {
      if (std::in_range<T>(*number)) {
        out = static_cast<T>(*number);
        return true;
      }
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
      const json::Value whole = FieldValue(json);
      if (const std::optional<std::uint64_t> large = whole.AsUint64()) {
        out = static_cast<T>(*large);
        return true;
      }
    }
    return FailInteger(FieldNumberText(json), sizeof(T) * 8, reading);
  }
}

template <class J, class T>
bool DecodeEnum(const J& json, T& out, FieldsReading& reading) {
  const std::optional<std::string_view> text = json.AsString();
  if (!text) return reading.WrongType("a string", json.type());
  std::string known;
  for (const auto& [enumerator, name] : EnumNames(T{})) {
    if (name == *text) {
      out = enumerator;
      return true;
    }
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return reading.Fail("\"" + std::string(*text) + "\" is none of " + known);
}

template <class J>
bool DecodeString(const J& json, std::string& out, FieldsReading& reading) {
  const std::optional<std::string_view> text = json.AsString();
  if (!text) return reading.WrongType("a string", json.type());
  out = *text;
  return true;
}

template <class J>
bool DecodeBool(const J& json, bool& out, FieldsReading& reading) {
  const std::optional<bool> flag = json.AsBool();
  if (!flag) return reading.WrongType("a boolean", json.type());
  out = *flag;
  return true;
}

template <class J, class T>
bool DecodeList(const J& json, T& out, FieldsReading& reading) {
  if (json.type() != json::Type::kArray) return reading.WrongType("an array", json.type());
  out.clear();
  std::size_t index = 0;
  for (const auto& item : json.items()) {
    // Uses a separate value: a vector<bool> has no elements to refer to.
    typename T::value_type element{};
    if (!DecodeField(item, element, reading)) return reading.Within(index);
    out.push_back(std::move(element));
    ++index;
  }
  return true;
}

template <class J, class T>
bool DecodeMap(const J& json, T& out, FieldsReading& reading) {
  if (json.type() != json::Type::kObject) return reading.WrongType("an object", json.type());
  out.clear();
  for (const auto& [name, value] : json.members()) {
    if (!DecodeField(value, out[std::string(name)], reading)) return reading.Within(name);
  }
  return true;
}

template <class J>
bool DecodeIntOrString(const J& json, intstr::IntOrStringMutable& out, FieldsReading& reading) {
  if (const std::optional<std::string_view> text = json.AsString()) {
    out = intstr::IntOrStringMutable(std::string(*text));
    return true;
  }
  std::int32_t number = 0;
  if (!DecodeNumber(json, number, reading)) return false;
  out = number;
  return true;
}

// Reads a type with a text form: times, quantities.
template <class J, class T>
bool DecodeText(const J& json, T& out, FieldsReading& reading) {
  if (std::is_same_v<T, resource::Quantity> && json.type() == json::Type::kNumber) {
    return ReadText(FieldNumberText(json), out, reading);
  }
  const std::optional<std::string_view> text = json.AsString();
  if (!text) return reading.WrongType("a string", json.type());
  return ReadText(*text, out, reading);
}

// Reads a generated struct. Members that the schema lacks are kept in it.
template <class J, class T>
bool DecodeGenerated(const J& json, T& out, FieldsReading& reading) {
  if (json.type() != json::Type::kObject) return reading.WrongType("an object", json.type());
  out = T();
  const Result<void> read = DecodeMutableJson(T::mutable_table(), FieldText(json), &out);
  return read || reading.Fail(read.error().message());
}

template <class J, class T>
bool DecodeField(const J& json, T& out, FieldsReading& reading) {
  if constexpr (std::is_same_v<T, json::Value>) {
    out = FieldValue(json);
    return true;
  } else {
    if (json.type() == json::Type::kNull) return true;
    if constexpr (std::is_same_v<T, bool>) {
      return DecodeBool(json, out, reading);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return DecodeNumber(json, out, reading);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return DecodeString(json, out, reading);
    } else if constexpr (HasEnumNames<T>) {
      return DecodeEnum(json, out, reading);
    } else if constexpr (HasFields<T>) {
      return DecodeStruct(json, out, reading);
    } else if constexpr (HasMutableTable<T>) {
      return DecodeGenerated(json, out, reading);
    } else if constexpr (kIsOptional<T>) {
      return DecodeField(json, out.emplace(), reading);
    } else if constexpr (kIsList<T>) {
      return DecodeList(json, out, reading);
    } else if constexpr (kIsMap<T>) {
      return DecodeMap(json, out, reading);
    } else if constexpr (std::is_same_v<T, intstr::IntOrStringMutable>) {
      return DecodeIntOrString(json, out, reading);
    } else if constexpr (requires { ReadText(std::string_view(), out, reading); }) {
      return DecodeText(json, out, reading);
    } else {
      static_assert(
          kNever<T>,
          "a member's type must be bool, a number, std::string, an enum with EnumNames(), "
          "metav1::Time, MicroTime or Duration, resource::Quantity, intstr::IntOrStringMutable, "
          "json::Value, a plain struct, a generated struct "
          "(metav1::Condition::Mutable, not the view metav1::Condition), or std::optional, "
          "kinformer::Box, std::vector, std::deque or std::map<std::string, ...> of one of these");
      return false;
    }
  }
}

template <class T, class J>
Result<T> DecodeFields(const J& json, std::size_t* dropped) {
  T out{};
  FieldsReading reading;
  if (!DecodeStruct(json, out, reading)) return reading.ToError();
  if (dropped != nullptr) *dropped = reading.dropped;
  return out;
}

// ---- Writing

template <class T>
bool IsLeftOut(const T& value, bool omit_empty) {
  if constexpr (kIsOptional<T>) {
    return !value.has_value();
  } else if constexpr (kIsList<T> || kIsMap<T>) {
    return value.empty();
  } else if constexpr (requires { value.IsZero(); }) {
    return value.IsZero() && (omit_empty || std::is_base_of_v<metav1::Time, T>);
  } else if constexpr (std::is_same_v<T, json::Value>) {
    return value.is_null();
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                       std::is_same_v<T, metav1::Duration> || HasMutableTable<T>) {
    return omit_empty && value == T();
  } else {
    return false;
  }
}

template <class T>
void EncodeField(const T& value, json::Value& out);

template <class T>
void EncodeStruct(const T& value, json::Value& out) {
  json::Object& members = out.EnsureObject();
  EachField(value, [&]<class Member>(const FieldFacts& field, const Member& member) {
    if constexpr (!kIsBag<Member>) {
      const bool wanted = field.required && (kIsList<Member> || kIsMap<Member>);
      if (wanted || !IsLeftOut(member, field.omit_empty)) {
        EncodeField(member, members.Ensure(field.name));
      }
    }
  });
  if constexpr (HasBag<T>()) {
    EachField(value, [&]<class Member>(const FieldFacts&, const Member& member) {
      if constexpr (kIsBag<Member>) {
        for (const auto& [name, unknown] : member.members) {
          if (members.Find(name) == nullptr) members.Set(name, unknown);
        }
      }
    });
  }
}

template <class T>
void EncodeField(const T& value, json::Value& out) {
  if constexpr (std::is_same_v<T, json::Value> || std::is_arithmetic_v<T> ||
                std::is_same_v<T, std::string>) {
    out = json::Value(value);
  } else if constexpr (HasEnumNames<T>) {
    for (const auto& [enumerator, name] : EnumNames(value)) {
      if (enumerator == value) out = name;
    }
  } else if constexpr (HasFields<T>) {
    EncodeStruct(value, out);
  } else if constexpr (HasMutableTable<T>) {
    out = json::Parse(EncodeMutableJson(T::mutable_table(), &value)).value_or(json::Value());
  } else if constexpr (kIsOptional<T>) {
    if (value.has_value()) EncodeField(*value, out);
  } else if constexpr (kIsList<T>) {
    json::Array& items = out.EnsureArray();
    for (const auto& item : value) {
      EncodeField(static_cast<const typename T::value_type&>(item), items.emplace_back());
    }
  } else if constexpr (kIsMap<T>) {
    json::Object& members = out.EnsureObject();
    for (const auto& [name, item] : value) EncodeField(item, members.Ensure(name));
  } else if constexpr (std::is_same_v<T, intstr::IntOrStringMutable>) {
    out = value.is_string ? json::Value(value.strVal) : json::Value(value.intVal);
  } else if constexpr (std::is_base_of_v<metav1::Time, T>) {
    if (!value.IsZero()) out = value.ToString();
  } else {
    out = value.ToString();
  }
}

// ---- Paths

// A struct with UnknownFields is named as a whole, and so is one that contains itself, since the
// paths of its members would never end.
template <class T, class... Outer>
void AppendPaths(const std::string& prefix, std::vector<std::string>& out) {
  EachFieldType<T>([&](const FieldFacts& field, auto type) {
    using Member = typename decltype(type)::type;
    if constexpr (!kIsBag<Member>) {
      using Element = typename FieldElement<Member>::type;
      const std::string path = prefix + (prefix.empty() ? "" : ".") + std::string(field.name);
      if constexpr (HasFields<Element> && !std::is_same_v<Element, T> &&
                    !(std::is_same_v<Element, Outer> || ...)) {
        if constexpr (!HasBag<Element>()) {
          AppendPaths<Element, T, Outer...>(path, out);
          return;
        }
      }
      out.push_back(path);
    }
  });
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_FIELDS_CODEC_H_
