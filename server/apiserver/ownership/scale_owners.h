// apiserver/ownership/scale_owners.h
//
// Owners of the number of replicas that a Scale subresource writes.

#ifndef KINFORMER_APISERVER_OWNERSHIP_SCALE_OWNERS_H_
#define KINFORMER_APISERVER_OWNERSHIP_SCALE_OWNERS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/ownership/field_manager.h"
#include "apiserver/ownership/field_set.h"

namespace kinformer::apiserver {

// The replicas in each version of an object, by apiVersion; empty for a version without a scale.
using ReplicaFields = std::map<std::string, FieldSet, std::less<>>;

// Makes the set of the one field at a JSON Pointer.
[[nodiscard]] FieldSet FieldAt(const std::string& pointer);

enum class ScaleChange : std::uint8_t {
  kNone,
  kSet,      // to another number
  kRemoved,  // to 0, which a Scale leaves out
};

// A Scale of `manager` has been written to `object`, which was `live`: sets
// metadata.managedFields. An update owns the number if anybody did, an apply always. Conflict, with
// its causes, if others own a number that an apply changes, unless `force` is set.
//
// The owners are translated to those of a Scale and back, as a real server does: whoever updates
// the object, and owns the number, gets an entry without a time for the number alone. The next
// write that tracks owners drops it, if the same one has other fields, too. Entries of versions
// that the object does not have are dropped. Counterpart: managedfields.ScaleHandler.
Result<void> TrackScale(const FieldManager& manager, const ReplicaFields& replicas,
                        ScaleChange change, const json::Value& live, bool force,
                        json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_OWNERSHIP_SCALE_OWNERS_H_
