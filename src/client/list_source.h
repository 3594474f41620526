// client/list_source.h
//
// ListSource: the collection that a ListerWatcher reads, and the way to build its objects. Shared
// by the ListerWatcher and its calls.

#ifndef KINFORMER_CLIENT_LIST_SOURCE_H_
#define KINFORMER_CLIENT_LIST_SOURCE_H_

#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/block.h"
#include "kinformer/object/entry_options.h"

#include "client/engine.h"
#include "client/object_head.h"

namespace kinformer::wire {
class JsonBitmap;  // wire/json_bitmap.h
}  // namespace kinformer::wire

namespace kinformer::internal::client {

// Loop-confined.
struct ListSource {
  std::shared_ptr<Engine> engine;
  // For dynamic kinds of unknown name, replaced when the first object reveals the kind.
  const KindInfo* type;
  std::string path;
  bool metadata_only;
  bool throttled;  // lists are subject to the client-side rate limit
  EntryOptions entry{};
  std::string namespace_{};  // empty: all, or a cluster-scoped kind
  HttpHeaders headers{};     // of the caller

  // Returns whether objects of this source may have that kind. Empty: accepted.
  [[nodiscard]] bool Expects(std::string_view kind) const;
  // Completes the identity of an unreadable object: without a namespace, it gets the namespace of
  // the source. Returns false if the object cannot be identified.
  [[nodiscard]] bool Identify(ObjectHead& head) const;
  // `bitmap`: set for JSON. Exceptions of the program's struct are logged and counted.
  Result<ObjectRef> Build(Encoding encoding, std::string_view bytes,
                          const wire::JsonBitmap* bitmap);

 private:
  [[nodiscard]] Result<ObjectRef> BuildProtobuf(std::string_view bytes) const;
  // Returns the type of an object. Cheap once the kind is known.
  const KindInfo& TypeFor(std::string_view object_json);
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LIST_SOURCE_H_
