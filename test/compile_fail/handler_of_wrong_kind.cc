// The error for a function with wrong parameters shows the right ones.
// first-gcc: this function cannot be called with the informer's events: on_add takes
// first-clang: this function cannot be called with the informer's events: on_add takes

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"

namespace corev1 = kinformer::corev1;

void Use(kinformer::SharedInformer<corev1::Pod>& pods) {
#ifdef CORRECT
  pods.AddEventHandler({.on_add = [](const kinformer::Added<corev1::Pod>&) {}}).OrExit();
#else
  pods.AddEventHandler({.on_add = [](const kinformer::Added<corev1::Node>&) {}}).OrExit();
#endif
}
