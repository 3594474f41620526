// kinformer/interop/format.h
//
// Formatters of std::format for every public value that has a text, where the standard library has
// std::format (g++ 13, clang with libc++ 17; __cpp_lib_format). Elsewhere this header is empty.
//
//   const Ref<corev1::Pod> pod = lister.Namespace("default").Get("web-0").OrExit();
//   std::cout << std::format("{} is on {}\n", *pod, pod->spec().nodeName());
//
// Texts and specifications are those of interop/fmt.h.

#ifndef KINFORMER_INTEROP_FORMAT_H_
#define KINFORMER_INTEROP_FORMAT_H_

#include <version>

#ifdef __cpp_lib_format

#include <format>
#include <string_view>

#include "kinformer/internal/public_text.h"

// Formats public values, as their text; in a range, too, without quotes.
template <kinformer::internal::PublicValue T>
struct std::formatter<T, char> {
  template <class Context>
  constexpr auto parse(Context& context) {
    return text_.parse(context);
  }
  template <class Context>
  auto format(const T& value, Context& context) const {
    return text_.format(kinformer::internal::PublicText(value), context);
  }

 private:
  std::formatter<std::string_view, char> text_;
};

#endif  // __cpp_lib_format

#endif  // KINFORMER_INTEROP_FORMAT_H_
