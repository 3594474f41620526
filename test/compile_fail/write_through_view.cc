// Objects in a cache are shared: views have no way to change them.
// expect-gcc: lvalue required as left|assignment of read-only|as 'this' argument discards
// expect-clang: (expression is not assignable|no viable overloaded '=')

#include <string_view>

#include "kinformer/api/corev1.h"

void Use(kinformer::corev1::Pod pod) {
#ifdef CORRECT
  const std::int32_t priority = pod.spec().priority().value_or(0);
  static_cast<void>(priority);
#else
  pod.spec().hostNetwork() = true;
#endif
}
