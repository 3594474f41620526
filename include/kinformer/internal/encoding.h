// kinformer/internal/encoding.h
//
// Encodings in which API servers send objects.

#ifndef KINFORMER_INTERNAL_ENCODING_H_
#define KINFORMER_INTERNAL_ENCODING_H_

#include <cstdint>

namespace kinformer::internal {

enum class Encoding : std::uint8_t {
  kProtobuf,  // the kind's own message; in a block, without the k8s envelope
  kJson,      // the object's JSON; in a block, without kind and apiVersion
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_ENCODING_H_
