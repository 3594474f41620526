// kinformer/internal/plain_struct.h
//
// Number, names and types of the members of a plain struct, from the compiler; its own name, too.

#ifndef KINFORMER_INTERNAL_PLAIN_STRUCT_H_
#define KINFORMER_INTERNAL_PLAIN_STRUCT_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kinformer/internal/members_of.h"

namespace kinformer::internal {

// Becomes any member, in expressions that are never evaluated. Types that other types are made of
// by the way are left out, so that there is one way only.
struct AnyMember {
  template <class T>
    requires(!std::is_pointer_v<T> && !std::is_same_v<T, std::string_view> &&
             !std::is_same_v<T, std::nullopt_t> && !std::is_same_v<T, std::nullptr_t>)
  operator T() const {  // NOLINT(google-explicit-constructor)
    __builtin_unreachable();
  }
};
// Becomes a base class of S, and nothing else.
template <class S>
struct AnyBase {
  template <class T>
    requires(std::is_base_of_v<T, S> && !std::is_same_v<T, S>)
  operator T() const {  // NOLINT(google-explicit-constructor)
    __builtin_unreachable();
  }
};

template <class S, class... Found>
consteval std::size_t CountMembers() {
  if constexpr (sizeof...(Found) <= kMostMembers && requires { S{Found()..., AnyMember()}; }) {
    return CountMembers<S, Found..., AnyMember>();
  } else {
    return sizeof...(Found);
  }
}

// Becomes what AnyMember does not, which no member may be.
struct AnyOther {
  template <class T>
    requires(std::is_pointer_v<T> || std::is_same_v<T, std::string_view>)
  operator T() const {  // NOLINT(google-explicit-constructor)
    __builtin_unreachable();
  }
};

template <class S, std::size_t... kIndex>
consteval bool HasOther(std::index_sequence<kIndex...> /*members before it*/) {
  return requires { S{(static_cast<void>(kIndex), AnyMember())..., AnyOther()}; };
}

template <class S>
consteval std::size_t CheckedMemberCount() {
  constexpr bool kHasBase = requires { S{AnyBase<S>()}; };
  static_assert(!kHasBase,
                "a struct with a base class must name its members: static constexpr auto kFields = "
                "std::tuple(kinformer::Field(\"size\", &S::size), ...)");
  constexpr std::size_t kCount = CountMembers<S>();
  static_assert(kCount <= kMostMembers,
                "a struct with more than 64 members must name them: static constexpr auto kFields "
                "= std::tuple(kinformer::Field(\"size\", &S::size), ...)");
  static_assert(
      (kCount > 0 || std::is_empty_v<S>) && !HasOther<S>(std::make_index_sequence<kCount>()),
      "a member's type must be bool, a number, std::string or another that "
      "kinformer/object/fields.h lists: no pointer, std::string_view or array");
  return kCount;
}
template <class S>
inline constexpr std::size_t kMemberCount = CheckedMemberCount<S>();

// Place for a struct whose members have addresses that the compiler can name. Nothing is ever
// there, and no program has it, as only constant expressions use it.
template <class S>
union Specimen {
  constexpr Specimen() : nothing() {}
  constexpr ~Specimen() {}  // NOLINT(modernize-use-equals-default): S may have a destructor
  char nothing;
  S value;
};
template <class S>
inline Specimen<S> kSpecimen;

// Pointers to the members of the specimen, as a tuple.
template <class S>
inline constexpr auto kMemberPointers = WithMembers<kMemberCount<S>>(
    kSpecimen<S>.value, [](auto&... member) { return std::tuple(&member...); });

// A text as long as it is.
template <std::size_t kSize>
struct FixedText {
  std::array<char, kSize> chars{};
  [[nodiscard]] constexpr std::string_view view() const { return {chars.data(), kSize}; }
};
template <std::size_t kSize>
consteval FixedText<kSize> Fixed(std::string_view text) {
  FixedText<kSize> out;
  for (std::size_t i = 0; i < kSize; ++i) out.chars[i] = text[i];
  return out;
}

// Returns the last name of "[with auto kMember = (& specimen.Struct::name)]".
consteval std::string_view LastName(std::string_view text) {
  while (text.ends_with(']') || text.ends_with(')')) text.remove_suffix(1);
  return text.substr(text.find_last_of(":.") + 1);
}

// Copies of the names: the whole texts do not become part of the program.
template <auto kMember>
consteval auto CopyMemberName() {
  constexpr std::string_view kName = LastName(__PRETTY_FUNCTION__);
  return Fixed<kName.size()>(kName);
}
template <auto kMember>
inline constexpr auto kMemberName = CopyMemberName<kMember>();

template <class S>
consteval auto CopyStructName() {
  constexpr std::string_view kText = __PRETTY_FUNCTION__;
  constexpr std::size_t kBegin = kText.find("S = ") + 4;
  constexpr std::string_view kName =
      LastName(kText.substr(kBegin, kText.find(';', kBegin) - kBegin));
  return Fixed<kName.size()>(kName);
}
// Name of a struct, without namespaces.
template <class S>
inline constexpr auto kStructName = CopyStructName<S>();

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_PLAIN_STRUCT_H_
