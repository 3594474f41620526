// The error of a handler for objects of any kind names the header that is missing.
// expect-gcc: kinformer/object/object.h
// expect-clang: kinformer/object/object.h

#include <memory>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"
#ifdef CORRECT
#include "kinformer/object/object.h"
#endif

namespace corev1 = kinformer::corev1;

class Handler : public kinformer::ResourceEventHandler<kinformer::Object> {};

void Use(kinformer::SharedInformer<corev1::Pod>& pods) {
  pods.AddEventHandler(std::make_shared<Handler>()).OrExit();
}
