// object/transcode/canonical.h
//
// Canonical order of a message's fields: ascending numbers, the occurrences of a repeated field
// together, a field that is not repeated once. The API server writes messages so; other encoders
// need not. Views and the block's index rely on it.

#ifndef KINFORMER_OBJECT_TRANSCODE_CANONICAL_H_
#define KINFORMER_OBJECT_TRANSCODE_CANONICAL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/descriptor.h"

#include "wire/protobuf_reader.h"

namespace kinformer::internal {

// Returns the wire type of values of that kind. Lists of numbers may also be packed into one kBytes
// field.
wire::WireType WireTypeOf(FieldKind kind);

// A field and its position in its message.
struct FieldSpan {
  wire::WireField field;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Lists the fields of a message in the order of its bytes. kDecode with the byte offset if they are
// malformed.
Result<void> ScanFields(std::string_view message, std::vector<FieldSpan>& fields);

// Whether the fields are in canonical order. Fields unknown to the descriptor may repeat.
bool IsCanonical(const MessageDescriptor& message, const std::vector<FieldSpan>& fields);

// Returns the message in canonical order, including its direct child messages. The last one of
// repeated scalars wins; repeated messages are merged, as in protobuf.
Result<std::string> Canonicalize(const MessageDescriptor& message, std::string_view bytes,
                                 int levels = 2);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_CANONICAL_H_
