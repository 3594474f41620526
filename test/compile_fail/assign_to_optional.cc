// An optional field of a view cannot be assigned to.
// expect-gcc: as 'this' argument discards|no match for 'operator='
// expect-clang: no viable overloaded '='

#include <cstdint>

#include "kinformer/api/corev1.h"

std::int32_t Use(kinformer::corev1::Pod pod) {
#ifdef CORRECT
  return pod.spec().priority().value_or(0);
#else
  pod.spec().priority() = 3;
  return 0;
#endif
}
