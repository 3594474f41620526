// The error for a handler class of the wrong kind says so.
// first-gcc: this handler is not for the informer's kind
// first-clang: this handler is not for the informer's kind

#include <memory>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"

namespace corev1 = kinformer::corev1;

#ifdef CORRECT
class Handler : public kinformer::ResourceEventHandler<corev1::Pod> {};
#else
class Handler : public kinformer::ResourceEventHandler<corev1::Node> {};
#endif

void Use(kinformer::SharedInformer<corev1::Pod>& pods) {
  pods.AddEventHandler(std::make_shared<Handler>()).OrExit();
}
