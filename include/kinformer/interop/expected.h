// kinformer/interop/expected.h
//
// Conversions between Result<T> and std::expected<T, Error>, where the standard library has that
// (C++23; __cpp_lib_expected). Elsewhere this header is empty.
//
//   std::expected<Ref<corev1::Pod>, Error> found =
//       interop::ToExpected(client.For<corev1::Pod>("default").Get("web-0"));
//   Result<Ref<corev1::Pod>> back = interop::ToResult(found);

#ifndef KINFORMER_INTEROP_EXPECTED_H_
#define KINFORMER_INTEROP_EXPECTED_H_

#include <version>

#ifdef __cpp_lib_expected

#include <expected>
#include <type_traits>
#include <utility>

#include "kinformer/base/result.h"

namespace kinformer::interop {

// Returns the same value, or the same error. Takes what it is given: move what is not needed any
// more.
template <class T>
[[nodiscard]] std::expected<T, Error> ToExpected(Result<T> result) {
  if (!result.ok()) return std::unexpected(std::move(result).error());
  if constexpr (!std::is_void_v<T>) {
    return std::move(result).value();
  } else {
    return {};
  }
}
// Returns the same value, or the same error, from the other side.
template <class T>
[[nodiscard]] Result<T> ToResult(std::expected<T, Error> expected) {
  if (!expected.has_value()) return std::move(expected).error();
  if constexpr (!std::is_void_v<T>) {
    return *std::move(expected);
  } else {
    return {};
  }
}

}  // namespace kinformer::interop

#endif  // __cpp_lib_expected

#endif  // KINFORMER_INTEROP_EXPECTED_H_
