// Views of whole messages, of list elements and of lookups in lists cannot be assigned to.
// expect-gcc: as 'this' argument discards|no match for 'operator='
// expect-clang: no viable overloaded '='

#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/object/ref.h"

using kinformer::corev1::Container;
using kinformer::corev1::PodSpec;

std::string Use(const kinformer::Ref<kinformer::corev1::Pod>& ref, PodSpec spec, Container c) {
#ifdef CORRECT
  spec = ref->spec();
  c = ref->spec().containers()[0];
  return std::string(c.name());
#else
  ref->spec() = spec;
  ref->spec().containers()[0] = c;
  *ref->spec().containers().begin() = c;
  return {};
#endif
}
