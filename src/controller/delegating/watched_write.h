// controller/delegating/watched_write.h
//
// WatchedWrite: lets the reconcile that runs on this thread see whether its write undoes another
// one.

#ifndef KINFORMER_CONTROLLER_DELEGATING_WATCHED_WRITE_H_
#define KINFORMER_CONTROLLER_DELEGATING_WATCHED_WRITE_H_

#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/client/patch.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/delegating_client_core.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

#include "controller/delegating/delegating_state.h"
#include "controller/fights/written_fields.h"

namespace kinformer::internal::delegating {

// Made before the write of an object. Does nothing if no reconcile wants to know, and knows nothing
// of the object before if its cache cannot be relied on: see write_match.h.
class WatchedWrite {
 public:
  // `dry_run`: the write changes nothing.
  WatchedWrite(DelegatingState& state, const KindInfo& type, const ObjectName& name,
               std::string_view subresource, const CallBounds& bounds, bool dry_run);

  // Each tells what is sent.
  void Update(const RequestObject& object);
  void Apply(const KindInfo& part, const RequestObject& object);
  void Patch(const kinformer::Patch& patch);
  // Returns `answer`.
  Result<ObjectRef> Answered(Result<ObjectRef> answer) const;

 private:
  const KindInfo& type_;
  const std::string_view subresource_;
  bool watched_ = false;
  bool suspected_ = false;  // what is sent matters
  ObjectRef before_{};
  std::optional<fights::SentWrite> sent_{};
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_WATCHED_WRITE_H_
