// kinformer/internal/encodes_to.h
//
// EncodesTo: compares a mutable struct with bytes.

#ifndef KINFORMER_INTERNAL_ENCODES_TO_H_
#define KINFORMER_INTERNAL_ENCODES_TO_H_

#include <string_view>

namespace kinformer::internal {

struct MutableTable;  // mutable_codec.h

// Returns true if EncodeMutable returns these bytes, in a part of its time and without its memory.
bool EncodesTo(const MutableTable& table, const void* object, std::string_view bytes);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_ENCODES_TO_H_
