// object/transcode/block_text.h
//
// A block as what people and servers read.

#ifndef KINFORMER_OBJECT_TRANSCODE_BLOCK_TEXT_H_
#define KINFORMER_OBJECT_TRANSCODE_BLOCK_TEXT_H_

#include <string>

#include "kinformer/internal/block.h"

namespace kinformer::internal {

// The object as JSON with kind and apiVersion, compact.
std::string BlockToJson(const Block& block);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_BLOCK_TEXT_H_
