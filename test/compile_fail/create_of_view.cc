// Create takes the struct.
// first-gcc: Create and Update take the kind's struct, T::Mutable
// first-clang: Create and Update take the kind's struct, T::Mutable

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/resource_client.h"

void Use(const kinformer::Client& client, kinformer::corev1::Pod pod) {
#ifdef CORRECT
  client.For<kinformer::corev1::Pod>("default").Create(pod.DeepCopy()).OrExit();
#else
  client.For<kinformer::corev1::Pod>("default").Create(pod).OrExit();
#endif
}
