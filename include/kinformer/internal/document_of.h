// kinformer/internal/document_of.h
//
// DocumentOf: the JSON of an object in any form, for the test kit: a view, a Ref, a struct,
// json::Value, or a Result or pointer of one of them.

#ifndef KINFORMER_INTERNAL_DOCUMENT_OF_H_
#define KINFORMER_INTERNAL_DOCUMENT_OF_H_

#include <concepts>
#include <string>
#include <type_traits>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"
#include "kinformer/object/ref.h"

namespace kinformer::internal {

template <class M>
std::string EncodeJson(const M& object);  // mutable_codec.h

template <class T>
inline constexpr bool kIsRefOf = false;
template <class T>
inline constexpr bool kIsRefOf<Ref<T>> = true;

template <class T>
concept HasErrorInside = requires(const T& result) {
  typename T::value_type;
  { result.error() } -> std::same_as<const Error&>;
};
template <class T>
concept WritesItsJson = requires(const T& object) {
  { object.ToJson() } -> std::convertible_to<std::string>;
};
template <class T>
concept PointsToObject = std::is_pointer_v<T> || requires(const T& pointer) {
  *pointer;
  static_cast<bool>(pointer);
};

// Returns the object with its kind and apiVersion; the error of a Result that failed; kNotFound for
// a null Ref or pointer.
template <class T>
Result<json::Value> DocumentOf(const T& object) {
  if constexpr (std::same_as<T, json::Value>) {
    return object;
  } else if constexpr (HasErrorInside<T>) {
    if (!object.ok()) return object.error();
    const auto& inside = *object;
    return DocumentOf(inside);
  } else if constexpr (kIsRefOf<T>) {
    if (!object) return Error(Reason::kNotFound, "the Ref is null");
    const auto view = *object;
    return DocumentOf(view);
  } else if constexpr (WritesItsJson<T>) {
    return json::Parse(object.ToJson());
  } else if constexpr (PointsToObject<T>) {
    if (!object) return Error(Reason::kNotFound, "the pointer is null");
    return DocumentOf(*object);
  } else {
    return json::Parse(EncodeJson(object));
  }
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_DOCUMENT_OF_H_
