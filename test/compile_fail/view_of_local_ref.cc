// clang sees that a view leaves the function whose Ref it is of; g++ does not look.
// expect-clang: address of stack memory associated with local variable 'pod' returned
// expect-gcc: no lifetime analysis

#include "kinformer/api/corev1.h"
#include "kinformer/object/ref.h"

using kinformer::Ref;
using kinformer::corev1::Pod;

Ref<Pod> Find();

#ifdef CORRECT
Ref<Pod> Use() {
  const Ref<Pod> pod = Find();
  return pod;
}
#else
Pod Use() {
  const Ref<Pod> pod = Find();
  return *pod;
}
#if defined(__GNUC__) && !defined(__clang__)
#error no lifetime analysis
#endif
#endif
