// client/object_head.h
//
// ObjectHead: identity and version of an object, read without building it: for bookmarks, and for
// objects that cannot be decoded.

#ifndef KINFORMER_CLIENT_OBJECT_HEAD_H_
#define KINFORMER_CLIENT_OBJECT_HEAD_H_

#include <string>
#include <string_view>

#include "kinformer/internal/encoding.h"

namespace kinformer::internal::client {

// Absent values are empty.
struct ObjectHead {
  std::string namespace_{};
  std::string name{};
  std::string resourceVersion{};
  bool initial_events_end = false;  // the annotation k8s.io/initial-events-end
};

// Returns whether the bytes are UTF-8, and were valid UTF-8 when they arrived.
bool IsText(std::string_view bytes);

// Returns whether `name` can be the name of an object, and not the remains of a damaged one: valid
// UTF-8 without characters that a path cannot contain. Does not decode escapes.
bool IsName(std::string_view name);

// Reads the head of a protobuf message without envelope, or of a JSON object. From malformed JSON,
// reads as much as possible.
ObjectHead HeadOf(Encoding encoding, std::string_view bytes);

// Reads the head from the beginning of an object, as far as it is complete.
ObjectHead HeadOfFront(Encoding encoding, std::string_view front);

// Returns the message with only its metadata.
std::string OnlyMetadata(std::string_view message);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_OBJECT_HEAD_H_
