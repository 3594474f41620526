// kinformer/interop/fmt.h
//
// Formatters of the library {fmt} for every public value that has a text.
//
//   const Ref<corev1::Pod> pod = lister.Namespace("default").Get("web-0").OrExit();
//   fmt::print("{} is on {}\n", *pod, pod->spec().nodeName());  // Pod default/web-0 is on node-7
//   if (const auto gone = pods.lister().Namespace("default").Get("web-1"); !gone) {
//     fmt::print("{:>12}: {}\n", gone.error().reason(), gone.error());
//   }
//
// The text is that of operator<<, ToString() or the enumerator's name; what an object to write has
// is its JSON. Width, fill, alignment and precision are those of strings. interop/format.h has the
// same for std::format. Only a program that includes this header needs {fmt}.

#ifndef KINFORMER_INTEROP_FMT_H_
#define KINFORMER_INTEROP_FMT_H_

#include <fmt/format.h>
#include <string_view>

#include "kinformer/internal/public_text.h"

namespace fmt {

// Formats public values, as their text; in a range, too, without quotes.
template <kinformer::internal::PublicValue T>
struct formatter<T, char> {
  template <class Context>
  constexpr auto parse(Context& context) {
    return text_.parse(context);
  }
  template <class Context>
  auto format(const T& value, Context& context) const {
    return text_.format(kinformer::internal::PublicText(value), context);
  }

 private:
  formatter<std::string_view, char> text_;
};

}  // namespace fmt

#endif  // KINFORMER_INTEROP_FMT_H_
