// kinformer/internal/field_facts.h
//
// The members of a user's struct, whether it is plain or lists them in kFields: names in JSON, and
// a way to visit them.

#ifndef KINFORMER_INTERNAL_FIELD_FACTS_H_
#define KINFORMER_INTERNAL_FIELD_FACTS_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kinformer/internal/plain_struct.h"
#include "kinformer/json/json.h"
#include "kinformer/object/box.h"
#include "kinformer/object/field_schema.h"
#include "kinformer/object/mutable_values.h"

namespace kinformer {

// An enumerator and its text in JSON. Found by argument-dependent look-up of EnumNames(Enum).
template <class Enum>
using EnumName = std::pair<Enum, std::string_view>;

// Members of an object that its struct does not name, in their order.
struct UnknownFields {
  json::Object members{};
  friend bool operator==(const UnknownFields& a, const UnknownFields& b) {
    return json::Value(a.members) == json::Value(b.members);
  }
};

namespace internal {

template <class Struct, class Member>
struct FieldOf {
  std::string_view name;
  Member Struct::* member;
  bool omit_empty = false;

  [[nodiscard]] constexpr FieldOf OmitEmpty() const { return {name, member, true}; }
};
template <class Struct>
struct BagOf {
  UnknownFields Struct::* member;
};

template <class T>
inline constexpr bool kIsFieldsTuple = false;
template <class... F>
inline constexpr bool kIsFieldsTuple<std::tuple<F...>> = true;

template <class T>
concept HasFieldsTuple =
    requires { T::kFields; } && kIsFieldsTuple<std::remove_cvref_t<decltype(T::kFields)>>;

template <class T>
concept HasEnumNames = std::is_enum_v<T> && requires(T e) { EnumNames(e); };

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsOptional<Box<T>> = true;
// Matches std::vector and std::deque, by what they can do: few programs need <deque>.
template <class T>
inline constexpr bool kIsList = requires(T& list) {
  typename T::value_type;
  list.emplace_back();
  list.clear();
};
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool kIsBag = std::is_same_v<T, UnknownFields>;

// Type of the values in a member: the element of an optional or a list.
template <class T>
struct FieldElement {
  using type = T;
};
template <class T>
struct FieldElement<std::optional<T>> : FieldElement<T> {};
template <class T>
struct FieldElement<Box<T>> : FieldElement<T> {};
template <class T>
  requires kIsList<T>
struct FieldElement<T> : FieldElement<typename T::value_type> {};

struct MutableTable;

template <class T>
concept HasMutableTable = requires {
  { T::mutable_table() } -> std::same_as<const MutableTable&>;
};

// Matches structs whose members the compiler counts and names.
template <class T>
concept PlainStruct =
    std::is_class_v<T> && std::is_aggregate_v<T> && !HasFieldsTuple<T> && !HasMutableTable<T> &&
    !kIsBag<T> && !std::is_same_v<T, intstr::IntOrStringMutable> &&
    !requires(T& range) { range.begin(); };

template <class T>
concept HasFields = HasFieldsTuple<T> || PlainStruct<T>;

template <class T>
concept HasSchema = requires { T::kSchema[0].member; };

// Names and rules of a member; empty for UnknownFields.
struct FieldFacts {
  std::string_view name{};    // in JSON
  std::string_view member{};  // as lines of kSchema name it
  bool omit_empty = false;
  bool required = false;
};

template <class Struct, class Member>
constexpr FieldFacts FactsOf(const FieldOf<Struct, Member>& field) {
  return {field.name, field.name, field.omit_empty, false};
}
template <class Struct>
constexpr FieldFacts FactsOf(const BagOf<Struct>& /*bag*/) {
  return {};
}
template <auto kMember>
consteval FieldFacts FactsOf() {
  using Member = std::remove_cvref_t<decltype(*kMember)>;
  if constexpr (kIsBag<Member>) {
    return {};
  } else {
    const std::string_view member = kMemberName<kMember>.view();
    return {member.ends_with('_') ? member.substr(0, member.size() - 1) : member, member, false,
            false};
  }
}

// Not constexpr: a line of kSchema for a member that the struct lacks ends compilation here.
void FailSinceKSchemaNamesAMemberThatTheStructLacks();

template <std::size_t kCount, class Lines>
consteval void AddSchema(std::array<FieldFacts, kCount>& facts, const Lines& lines) {
  for (const FieldSchema& line : lines) {
    bool found = line.member.empty();
    for (FieldFacts& field : facts) {
      if (line.member.empty() || field.member != line.member) continue;
      found = true;
      if (!line.name.empty()) field.name = line.name;
      field.omit_empty = field.omit_empty || line.omit_empty;
      field.required = field.required || line.required;
    }
    if (!found) FailSinceKSchemaNamesAMemberThatTheStructLacks();
  }
}

template <class T>
consteval auto MakeFieldFacts() {
  auto facts = [] {
    if constexpr (HasFieldsTuple<T>) {
      return std::apply(
          [](const auto&... field) {
            return std::array<FieldFacts, sizeof...(field)>{FactsOf(field)...};
          },
          T::kFields);
    } else {
      return []<std::size_t... kIndex>(std::index_sequence<kIndex...> /*all*/) {
        return std::array<FieldFacts, sizeof...(kIndex)>{
            FactsOf<std::get<kIndex>(kMemberPointers<T>)>()...};
      }(std::make_index_sequence<kMemberCount<T>>());
    }
  }();
  if constexpr (HasSchema<T>) AddSchema(facts, T::kSchema);
  return facts;
}
// Facts of the members of T, in their order.
template <class T>
inline constexpr auto kFieldFacts = MakeFieldFacts<T>();

// Calls f(facts, member) for each member of the object.
template <class Object, class F>
constexpr void EachField(Object& object, const F& f) {
  using T = std::remove_const_t<Object>;
  const FieldFacts* facts = kFieldFacts<T>.data();
  if constexpr (HasFieldsTuple<T>) {
    std::apply([&](const auto&... field) { (f(*facts++, object.*field.member), ...); }, T::kFields);
  } else {
    WithMembers<kMemberCount<T>>(object, [&](auto&... member) { (f(*facts++, member), ...); });
  }
}

template <class Struct, class Member>
constexpr std::type_identity<Member> TypeOf(const FieldOf<Struct, Member>* /*field*/) {
  return {};
}
template <class Struct>
constexpr std::type_identity<UnknownFields> TypeOf(const BagOf<Struct>* /*bag*/) {
  return {};
}
template <class Member>
constexpr std::type_identity<Member> TypeOf(Member* const* /*member*/) {
  return {};
}

template <class Tuple>
struct TypesIn;
template <class... Field>
struct TypesIn<std::tuple<Field...>> {
  template <class F>
  static constexpr void Each(const FieldFacts* facts, const F& f) {
    (f(*facts++, TypeOf(static_cast<const Field*>(nullptr))), ...);
  }
};

// Calls f(facts, std::type_identity<Member>) for each member of T.
template <class T, class F>
constexpr void EachFieldType(const F& f) {
  if constexpr (HasFieldsTuple<T>) {
    TypesIn<std::remove_cvref_t<decltype(T::kFields)>>::Each(kFieldFacts<T>.data(), f);
  } else {
    TypesIn<std::remove_cvref_t<decltype(kMemberPointers<T>)>>::Each(kFieldFacts<T>.data(), f);
  }
}

// Whether T has UnknownFields.
template <class T>
consteval bool HasBag() {
  bool found = false;
  EachFieldType<T>([&](const FieldFacts& /*facts*/, auto type) {
    if (kIsBag<typename decltype(type)::type>) found = true;
  });
  return found;
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_FIELD_FACTS_H_
