// DeepCopy of a part of an object also needs a header: the metadata's structs have their own.
// first-gcc: kinformer/api/metav1_mutable.h
// first-clang: kinformer/api/metav1_mutable.h

#include "kinformer/api/corev1.h"
#ifdef CORRECT
#include "kinformer/api/metav1_mutable.h"
#endif

void Use(kinformer::corev1::Pod pod) {
  auto copy = pod.metadata().DeepCopy();
  static_cast<void>(copy);
}
