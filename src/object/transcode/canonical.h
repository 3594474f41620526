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

#include "kinformer/internal/descriptor.h"
#include "kinformer/result.h"

#include "wire/protobuf_reader.h"

namespace kinformer::internal {

// How values of that kind stand on the wire. Lists of numbers may also be packed into one kBytes
// field.
wire::WireType WireTypeOf(FieldKind kind);

// A field and where it stands in its message.
struct FieldSpan {
  wire::WireField field;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// The fields of a message in the order of its bytes. kDecode with the byte offset where they are
// malformed.
Result<void> ScanFields(std::string_view message, std::vector<FieldSpan>& fields);

// Whether the fields are in canonical order. Fields unknown to the descriptor may repeat.
bool IsCanonical(const MessageDescriptor& message, const std::vector<FieldSpan>& fields);

// The message in canonical order, its direct child messages too. Of a scalar that occurs twice the
// last holds; messages that occur twice are merged, as protobuf says.
Result<std::string> Canonicalize(const MessageDescriptor& message, std::string_view bytes,
                                 int levels = 2);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_CANONICAL_H_
