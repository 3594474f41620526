// The error of DeepCopy names the header that is missing.
// first-gcc: kinformer/api/corev1_mutable.h
// first-clang: kinformer/api/corev1_mutable.h

#include "kinformer/api/corev1.h"
#ifdef CORRECT
#include "kinformer/api/corev1_mutable.h"
#endif

void Use(kinformer::corev1::Pod pod) {
  auto copy = pod.DeepCopy();
  static_cast<void>(copy);
}
