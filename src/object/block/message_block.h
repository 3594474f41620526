// object/block/message_block.h
//
// Makes a block from a message whose fields are in canonical order: one pass over the root and its
// direct children, which makes the index, and one copy.

#ifndef KINFORMER_OBJECT_BLOCK_MESSAGE_BLOCK_H_
#define KINFORMER_OBJECT_BLOCK_MESSAGE_BLOCK_H_

#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"

namespace kinformer::internal {

// Null if the root, its metadata or another of its direct children is not in canonical order
// (object/transcode/canonical.h). kDecode where one of them is malformed. REQUIRES: type.encoding()
// == kProtobuf.
Result<ObjectRef> BlockOfMessage(const KindInfo& type, std::string_view message,
                                 bool drop_managed_fields);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_BLOCK_MESSAGE_BLOCK_H_
