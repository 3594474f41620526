// kinformer/internal/view_block.h
//
// Access to the block of a root view (corev1::Pod).

#ifndef KINFORMER_INTERNAL_VIEW_BLOCK_H_
#define KINFORMER_INTERNAL_VIEW_BLOCK_H_

#include <bit>
#include <memory>
#include <type_traits>

#include "kinformer/internal/block.h"

namespace kinformer::internal {

template <class T>
[[nodiscard]] const Block* BlockOfView(const T& view) {
  if constexpr (requires {
                  { view.block() } -> std::convertible_to<const Block*>;
                }) {
    return view.block();
  } else if constexpr (requires {
                         { view.block() } -> std::convertible_to<const Block&>;
                       }) {
    const Block& block = view.block();
    return std::addressof(block);
  } else {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) == sizeof(const Block*),
                  "a root view is a pointer to its block");
    return std::bit_cast<const Block*>(view);
  }
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_VIEW_BLOCK_H_
