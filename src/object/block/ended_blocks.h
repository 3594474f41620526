// object/block/ended_blocks.h
//
// Frees the memory of destroyed objects. In a build with KINFORMER_CHECK_VIEWS the memory is first
// overwritten and kept for a while, so that the next read through a view that outlived its object
// is detected. A text that outlived its object reads as bytes of kEnded instead of arbitrary data.

#ifndef KINFORMER_OBJECT_BLOCK_ENDED_BLOCKS_H_
#define KINFORMER_OBJECT_BLOCK_ENDED_BLOCKS_H_

#include "kinformer/internal/block.h"

namespace kinformer::internal {

#ifdef KINFORMER_CHECK_VIEWS
inline constexpr bool kCheckViews = true;
#else
inline constexpr bool kCheckViews = false;
#endif

// Byte that overwrites the memory of a destroyed object.
inline constexpr unsigned char kEnded = 0xdb;

// Frees a block whose destructor has run. With KINFORMER_CHECK_VIEWS, keeps it as destroyed.
void FreeBlock(void* block);

// Ends the program if the block is one of the destroyed ones.
void FailIfEnded(const void* block);

// Called before each read through a view. Costs nothing in other builds. Null is allowed.
inline void CheckAlive(const Block* block) {
  if constexpr (kCheckViews) {
    if (block != nullptr) FailIfEnded(block);
  }
}

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_BLOCK_ENDED_BLOCKS_H_
