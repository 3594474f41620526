// kinformer/resource.h
//
// Resource: what a type must be to be listed, watched, cached and written through kinformer. The
// generated views (corev1::Pod, ...) are Resources; a user's own view may be one.

#ifndef KINFORMER_RESOURCE_H_
#define KINFORMER_RESOURCE_H_

#include <concepts>

#include "kinformer/internal/block.h"
#include "kinformer/internal/type_info.h"

namespace kinformer {

// A view over one object that can be made from its block.
template <class T>
concept ObjectView = std::constructible_from<T, const internal::Block*> && std::copyable<T>;

// An ObjectView whose kind is known at compile time.
template <class T>
concept Resource = ObjectView<T> && requires {
  { T::type_info() } -> std::convertible_to<const internal::TypeInfo&>;
};

}  // namespace kinformer

#endif  // KINFORMER_RESOURCE_H_
