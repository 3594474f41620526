// kinformer/object/resource.h
//
// Resource: requirements of types that kinformer can list, watch, cache and write. The generated
// views (corev1::Pod, ...) are Resources; a user's own view may be one.

#ifndef KINFORMER_OBJECT_RESOURCE_H_
#define KINFORMER_OBJECT_RESOURCE_H_

#include <concepts>

#include "kinformer/internal/block.h"
#include "kinformer/object/kind_info.h"

namespace kinformer {

// Matches a view of one object that can be made from its block.
template <class T>
concept ObjectView = std::constructible_from<T, const internal::Block*> && std::copyable<T>;

// Matches an ObjectView whose kind is known at compile time.
template <class T>
concept Resource = ObjectView<T> && requires {
  { T::kind_info() } -> std::convertible_to<const KindInfo&>;
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_RESOURCE_H_
