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

// Whether the bytes are UTF-8, and were so when they came.
bool IsText(std::string_view bytes);

// Whether that is a name that an object can have, and not what damage has left of one: in UTF-8,
// and without what cannot stand in a path. What escapes stand for is not known.
bool IsName(std::string_view name);

// Of a kind's message without envelope, or of a JSON object. Where the text is no JSON, of as much
// of it as can be read.
ObjectHead HeadOf(Encoding encoding, std::string_view bytes);

// Of the beginning of an object: of as much as is there.
ObjectHead HeadOfFront(Encoding encoding, std::string_view front);

// The message with nothing but its metadata.
std::string OnlyMetadata(std::string_view message);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_OBJECT_HEAD_H_
