// object/block/ended_blocks.h
//
// What becomes of the memory of objects that have ended. In a build with KINFORMER_CHECK_VIEWS it
// is overwritten first and kept for a while: a view that has outlived its object is found at its
// next read, and a text that has reads as kEnded, rather than as what happens to be there.

#ifndef KINFORMER_OBJECT_BLOCK_ENDED_BLOCKS_H_
#define KINFORMER_OBJECT_BLOCK_ENDED_BLOCKS_H_

#include "kinformer/internal/block.h"

namespace kinformer::internal {

#ifdef KINFORMER_CHECK_VIEWS
inline constexpr bool kCheckViews = true;
#else
inline constexpr bool kCheckViews = false;
#endif

// What is written over an object that has ended.
inline constexpr unsigned char kEnded = 0xdb;

// Frees a block whose destructor has run, or keeps it as one that has ended.
void FreeBlock(void* block);

// Ends the program where the block has ended.
void FailIfEnded(const void* block);

// For what reads through a view. Costs nothing in other builds. Null is no block.
inline void CheckAlive(const Block* block) {
  if constexpr (kCheckViews) {
    if (block != nullptr) FailIfEnded(block);
  }
}

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_BLOCK_ENDED_BLOCKS_H_
