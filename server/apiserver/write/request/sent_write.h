// apiserver/write/request/sent_write.h
//
// SentWrite: a request that writes, under way.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_SENT_WRITE_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_SENT_WRITE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/ownership/field_manager.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/request/bulky.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/request/admitted.h"
#include "apiserver/write/request/request_body.h"

namespace kinformer::apiserver {

// Attributes of a review, whose objects may be large.
using BulkyReview = Bulky<std::shared_ptr<AdmissionAttributes>>;

inline StoredObjectPtr StoredAt(const WriteTarget& target) {
  return target.at.resource->Find(target.namespace_, target.name);
}

// Returns who owns the fields that the request writes.
FieldManager ManagerOf(const ServerState& state, const ResourceRequest& request, WallTime now);

// Used by one step at a time, on any thread.
struct SentWrite {
  SentWrite(const ServerState& state, ResourceRequest sent)
      : request(std::move(sent)),
        live(request.at),
        now(state.WallNow()),
        manager(ManagerOf(state, request, now)),
        bytes(DecodingCost(request.content_type, request.body)) {
    request.at = Unchanging(std::move(request.at));
  }

  // Returns the target that the request names.
  [[nodiscard]] WriteTarget Target(bool dry_run) const {
    return {.at = live,
            .namespace_ = request.info.namespace_,
            .name = request.info.name,
            .subresource = request.info.subresource,
            .dry_run = dry_run,
            .checked = true,
            .user = request.user,
            .manager = manager};
  }
  // Returns the attributes of the draft for webhooks, without the objects.
  [[nodiscard]] std::shared_ptr<AdmissionAttributes> Attributes(const Draft& draft) const {
    auto attributes = AttributesOf(request, draft.target, draft.creates ? "CREATE" : "UPDATE");
    attributes->bytes = bytes;
    return attributes;
  }
  [[nodiscard]] ResponsePtr Fail(const Error& error) const {
    return Warned(ErrorResponse(error, request.accept), warnings);
  }

  ResourceRequest request;  // its `at` is a constant copy
  const ResourceAt live;    // the resource itself
  const WallTime now;       // a fault may skew the clock for this request only
  FieldManager manager;     // of the fields that it writes
  std::size_t bytes;        // estimates the cost of work on the request
  std::vector<std::string> warnings{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_SENT_WRITE_H_
