// kinformer/internal/function_identity.h
//
// IdentityOf: tells functions given twice from different ones.

#ifndef KINFORMER_INTERNAL_FUNCTION_IDENTITY_H_
#define KINFORMER_INTERNAL_FUNCTION_IDENTITY_H_

#include <memory>
#include <type_traits>

namespace kinformer::internal {

// Compared by its pointer. Null: cannot be compared.
using FunctionIdentity = std::shared_ptr<const void>;

template <class F>
inline constexpr char kTypeTag = 0;

// Returns the identity of a function: one for each plain function, one for each type of objects
// without members, and otherwise a new one, for this object and its copies.
template <class F>
FunctionIdentity IdentityOf(const F& function) {
  const auto not_owned = [](const void* what) {
    return FunctionIdentity(FunctionIdentity(), what);
  };
  if constexpr (std::is_pointer_v<F>) {
    return not_owned(reinterpret_cast<const void*>(function));
  } else if constexpr (std::is_empty_v<F>) {
    return not_owned(&kTypeTag<F>);
  } else {
    return std::make_shared<const char>();
  }
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_FUNCTION_IDENTITY_H_
