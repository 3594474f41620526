// client/object_head.h
//
// ObjectHead: what can be told of an object without building it: of bookmarks, which are nothing
// else, and of objects that are malformed further down.

#ifndef KINFORMER_CLIENT_OBJECT_HEAD_H_
#define KINFORMER_CLIENT_OBJECT_HEAD_H_

#include <string>
#include <string_view>

#include "kinformer/internal/encoding.h"

namespace kinformer::internal::client {

// Empty strings where the bytes do not say.
struct ObjectHead {
  std::string namespace_{};
  std::string name{};
  std::string resourceVersion{};
  bool initial_events_end = false;  // the annotation k8s.io/initial-events-end
};

// Of a kind's message without envelope, or of a JSON object. Where the text is no JSON, of as much
// of it as can be read.
ObjectHead HeadOf(Encoding encoding, std::string_view bytes);

// Of the beginning of an object: of as much as is there.
ObjectHead HeadOfFront(Encoding encoding, std::string_view front);

// The message with nothing but its metadata.
std::string OnlyMetadata(std::string_view message);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_OBJECT_HEAD_H_
