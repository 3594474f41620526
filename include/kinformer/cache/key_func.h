// kinformer/cache/key_func.h
//
// KeyFunc: says by which key the general boxes (heap.h, fifo.h, expiration_cache.h) keep an item.
// Items of these are of any type that can be copied: a Ref<corev1::Pod>, or a struct of the
// program. A Store has objects of the API only, whose keys are their namespaces and names.

#ifndef KINFORMER_CACHE_KEY_FUNC_H_
#define KINFORMER_CACHE_KEY_FUNC_H_

#include <functional>
#include <string>
#include <utility>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"

namespace kinformer {

// Returns the key of an item; an error and the empty key refuse it. Must be quick, and must not
// call the box. For objects: [](const Ref<corev1::Pod>& p) { return MetaNamespaceKeyFunc(*p); }.
// Counterpart: cache.KeyFunc.
template <class T>
using KeyFunc = std::function<Result<std::string>(const T& item)>;

namespace internal {

// Returns the key, or why there is none.
template <class T>
Result<std::string> KeyOfItem(const KeyFunc<T>& key_func, const T& item) {
  Result<std::string> key = key_func(item);
  if (!key) {
    return Error(Reason::kInvalidArgument,
                 "couldn't create key for object: " + key.error().message());
  }
  if (key->empty()) {
    return Error(Reason::kInvalidArgument, "couldn't create key for object: the key is empty");
  }
  return key;
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_CACHE_KEY_FUNC_H_
