// kinformer/internal/kind_of_struct.h
//
// The CustomKind of a user's struct, with the names that it leaves to the library.

#ifndef KINFORMER_INTERNAL_KIND_OF_STRUCT_H_
#define KINFORMER_INTERNAL_KIND_OF_STRUCT_H_

#include <array>
#include <cstddef>
#include <string_view>

#include "kinformer/internal/plain_struct.h"
#include "kinformer/object/custom_kind.h"

namespace kinformer::internal {

// A name of a kind; no server takes a longer one.
struct KindName {
  std::array<char, 66> chars{};
  std::size_t size = 0;
  constexpr void Add(char c) { chars.at(size++) = c; }
  constexpr void Add(std::string_view text) {
    for (const char c : text) Add(c);
  }
  [[nodiscard]] constexpr std::string_view view() const { return {chars.data(), size}; }
};

// Returns "websites" for Website.
consteval KindName PluralOf(std::string_view kind) {
  KindName out;
  for (const char c : kind) out.Add(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  const std::string_view name = out.view();
  const bool vowel_before = name.size() > 1 && std::string_view("aeiou").find(
                                                   name[name.size() - 2]) != std::string_view::npos;
  if (name.ends_with('y') && !vowel_before) {
    --out.size;
    out.Add("ies");
  } else if (name.ends_with('s') || name.ends_with('x') || name.ends_with('z') ||
             name.ends_with("ch") || name.ends_with("sh")) {
    out.Add("es");
  } else {
    out.Add('s');
  }
  return out;
}

template <class T>
inline constexpr KindName kPluralOf = [] {
  if constexpr (T::kKind.kind.empty()) {
    return PluralOf(kStructName<T>.view());
  } else {
    return PluralOf(T::kKind.kind);
  }
}();

template <class T>
consteval CustomKind MakeKindOf() {
  CustomKind kind = T::kKind;
  if constexpr (T::kKind.kind.empty()) {
    kind.kind = kStructName<T>.view();
    static_assert(kStructName<T>.view().find_first_of("<> ") == std::string_view::npos,
                  "a kind that is made of a template needs a name: CustomKind::kind");
  }
  if constexpr (T::kKind.plural.empty()) kind.plural = kPluralOf<T>.view();
  return kind;
}
template <class T>
inline constexpr CustomKind kKindOf = MakeKindOf<T>();

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_KIND_OF_STRUCT_H_
