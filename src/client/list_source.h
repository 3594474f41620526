// client/list_source.h
//
// ListSource: which collection of which server a ListerWatcher lists and watches, and how its
// objects are built. Shared by the ListerWatcher and its calls.

#ifndef KINFORMER_CLIENT_LIST_SOURCE_H_
#define KINFORMER_CLIENT_LIST_SOURCE_H_

#include <memory>
#include <string>
#include <string_view>

#include "kinformer/entry_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/result.h"

#include "client/engine.h"
#include "client/object_head.h"

namespace kinformer::wire {
class JsonBitmap;  // wire/json_bitmap.h
}  // namespace kinformer::wire

namespace kinformer::internal::client {

// Loop-confined.
struct ListSource {
  std::shared_ptr<Engine> engine;
  // For dynamic kinds whose name the caller did not know, replaced once an object has told it.
  const TypeInfo* type;
  std::string path;
  bool metadata_only;
  bool throttled;  // lists count for the client-side rate limit
  EntryOptions entry{};
  std::string namespace_{};  // empty: all, or the kind has none

  // May an object of this source be of that kind? Empty: it does not say.
  [[nodiscard]] bool Expects(std::string_view kind) const;
  // Completes the name of an object that cannot be read: where it does not say, it is of the
  // namespace that was asked for. False where nobody can say which object it is.
  [[nodiscard]] bool Identify(ObjectHead& head) const;
  // `bitmap`: of JSON. What the program's struct throws is logged and counted.
  Result<ObjectRef> Build(Encoding encoding, std::string_view bytes,
                          const wire::JsonBitmap* bitmap);

 private:
  [[nodiscard]] Result<ObjectRef> BuildProtobuf(std::string_view bytes) const;
  // The type for an object. Cheap unless the kind is yet unknown.
  const TypeInfo& TypeFor(std::string_view object_json);
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LIST_SOURCE_H_
