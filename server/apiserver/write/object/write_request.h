// apiserver/write/object/write_request.h
//
// WriteTarget, DeleteRequest: what a write or a delete asks for; WriteOutcome: its result.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_WRITE_REQUEST_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_WRITE_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/ownership/field_manager.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

// Target of a write. An empty name on create: the object's own.
struct WriteTarget {
  ResourceAt at{};
  std::string namespace_{};
  std::string name{};
  std::string subresource{};
  bool dry_run = false;
  // The writer is part of this process: it may set the status in a write of the object, even if the
  // resource has a status subresource, and fields that clients cannot change.
  bool keep_status = false;
  // The object was validated against the schema.
  bool checked = false;
  // The requester; null: this process.
  UserInfoPtr user{};
  // The owner of the fields that change.
  FieldManager manager{};
};

struct WriteOutcome {
  StoredObjectPtr stored{};
  bool created = false;
  // More work follows: respond with 202.
  bool accepted = false;
  bool removed = false;  // the object was deleted
  // `stored`, parsed, set after a create; for encodings that need more than its text.
  json::Value document{};
  // Warnings for the client about valid input.
  std::vector<std::string> warnings{};
};

struct DeleteRequest {
  std::optional<std::int64_t> grace_period_seconds{};
  // Preconditions. An empty string is a precondition, too, which no object satisfies.
  std::optional<std::string> uid{};
  std::optional<std::string> resource_version{};
  // Orphan, Background, Foreground; empty: decided by the object's finalizers, else by the default
  // of its kind.
  std::string propagation{};
  json::Value sent{};  // DeleteOptions as webhooks see them; null: none
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_WRITE_REQUEST_H_
