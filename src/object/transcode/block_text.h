// object/transcode/block_text.h
//
// A block as text for people and servers.

#ifndef KINFORMER_OBJECT_TRANSCODE_BLOCK_TEXT_H_
#define KINFORMER_OBJECT_TRANSCODE_BLOCK_TEXT_H_

#include <string>

#include "kinformer/internal/block.h"

namespace kinformer::internal {

// Returns the object as compact JSON with kind and apiVersion.
std::string BlockToJson(const Block& block);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_BLOCK_TEXT_H_
