// The struct is incomplete without its header: clang shows the line that names the header.
// expect-gcc: 'kinformer::corev1::Pod::Mutable pod' has incomplete type
// expect-clang: kinformer/api/corev1_mutable.h

#include "kinformer/api/corev1.h"
#include "kinformer/client/resource_client.h"
#ifdef CORRECT
#include "kinformer/api/corev1_mutable.h"
#endif

void Use(const kinformer::Client& client) {
  kinformer::corev1::Pod::Mutable pod;
  client.For<kinformer::corev1::Pod>("default").Create(pod).OrExit();
}
