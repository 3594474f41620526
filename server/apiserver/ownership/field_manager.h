// apiserver/ownership/field_manager.h
//
// FieldManager: who writes, and metadata.managedFields: which fields of an object each of them
// owns.

#ifndef KINFORMER_APISERVER_OWNERSHIP_FIELD_MANAGER_H_
#define KINFORMER_APISERVER_OWNERSHIP_FIELD_MANAGER_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/ownership/field_set.h"
#include "apiserver/ownership/value_shape.h"

namespace kinformer::apiserver {

struct ManagedEntry;

// The writer of a request, as its entry in metadata.managedFields names it.
struct FieldManager {
  // False: owners are not tracked in this write, and the object keeps what it has.
  bool tracks = false;
  bool applies = false;  // operation Apply; otherwise Update
  bool forgets = false;  // an update asks to forget all owners
  std::string name{};
  std::string api_version{};
  std::string subresource{};
  std::string now{};  // RFC 3339
  // Kind of a built-in object: entries in versions that it does not have are forgotten. Empty: they
  // stay.
  std::string kind{};
  // Fields that a write like this cannot set, with all below them: the writer does not own them.
  FieldSet reset{};
};

// Fields of an update that the server has chosen.
struct ServerFields {
  FieldSet filled_in{};  // the client has left them out, and the server has kept them: nobody's
  FieldSet dropped{};    // the client has sent them as they were: whoever owned them still does
};

// Returns the writer's entry in metadata.managedFields, without fields.
[[nodiscard]] ManagedEntry EntryOf(const FieldManager& manager);

// Returns the manager's name: that of the request, or the program at the front of its User-Agent.
[[nodiscard]] std::string ManagerName(std::string_view field_manager, std::string_view user_agent);

// Returns whether a sent object asks to forget all owners: by a list with an empty entry, or, if
// the kind is built in, without any.
[[nodiscard]] bool ForgetsOwners(const json::Value& object, bool custom);

// Returns the fields that `after` lacks.
[[nodiscard]] FieldSet FieldsRemoved(const ValueShape& shape, const json::Value& before,
                                     const json::Value& after);

// An update by `manager` has made `after`, complete but for its owners, of `before`; null: a
// create. Sets metadata.managedFields: changed fields belong to the manager, and to no other one.
void TrackUpdate(const ValueShape& shape, const FieldManager& manager, const json::Value& before,
                 const ServerFields& chosen, json::Value& after);

// An apply of `declared` by `manager` has been merged into `object`, which was `live`; null: a
// create. Removes the fields that the manager has applied before, and nobody owns any more; sets
// metadata.managedFields. Conflict, with its causes, if other managers own fields that change,
// unless `force` is set.
Result<void> TrackApply(const ValueShape& shape, const FieldManager& manager,
                        const json::Value& live, const json::Value& declared, bool force,
                        json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_OWNERSHIP_FIELD_MANAGER_H_
