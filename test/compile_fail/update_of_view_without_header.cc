// The error of Update names the header with the struct that it takes.
// first-gcc: include kinformer/api/GROUP_mutable.h
// first-clang: include kinformer/api/GROUP_mutable.h

#include "kinformer/api/corev1.h"
#include "kinformer/client/resource_client.h"
#ifdef CORRECT
#include "kinformer/api/corev1_mutable.h"
#endif

void Use(const kinformer::Client& client, kinformer::corev1::Pod pod) {
#ifdef CORRECT
  client.For<kinformer::corev1::Pod>("default").Update(pod.DeepCopy()).OrExit();
#else
  client.For<kinformer::corev1::Pod>("default").Update(pod).OrExit();
#endif
}
