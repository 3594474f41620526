// A view is read only: an assignment to a value that it returns would have no effect.
// expect-gcc: as 'this' argument discards|no match for 'operator='
// expect-clang: no viable overloaded '='

#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/object/ref.h"

std::string Use(const kinformer::Ref<kinformer::corev1::Pod>& ref) {
#ifdef CORRECT
  return std::string(ref->spec().nodeName());
#else
  ref->spec().nodeName() = "x";
  return {};
#endif
}
