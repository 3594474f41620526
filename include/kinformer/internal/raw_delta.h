// kinformer/internal/raw_delta.h
//
// Delta: an untyped change in a queue; and the objects that the consumer of a queue knows.

#ifndef KINFORMER_INTERNAL_RAW_DELTA_H_
#define KINFORMER_INTERNAL_RAW_DELTA_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/cache/delta.h"
#include "kinformer/internal/block.h"
#include "kinformer/object/object_name.h"

namespace kinformer::internal::cache {

// Content of changes that do not concern one readable object; each member names its types.
struct DeltaExtra {
  // kReplacedAll, kBookmark.
  std::string resourceVersion{};
  // kReplacedAll.
  std::vector<ObjectRef> objects{};
  // kReplacedAll, kUnreadable.
  std::vector<ObjectName> unreadable{};
};

struct Delta {
  DeltaType type{};
  // kDeleted: a tombstone. `object` is then the last known state, not the state at deletion.
  bool final_state_unknown = false;
  ObjectRef object{};
  std::unique_ptr<DeltaExtra> extra{};
};

// Objects known to the consumer of a queue, apart from the queued ones.
class KnownObjects {
 public:
  virtual ~KnownObjects() = default;
  [[nodiscard]] virtual ObjectRef Get(std::string_view namespace_, std::string_view name) const = 0;
  virtual void ForEach(const std::function<void(ObjectRef)>& visit) const = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_INTERNAL_RAW_DELTA_H_
