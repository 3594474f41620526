// controller/delegating/placement.h
//
// Determines the namespace of a call of a DelegatingClient, and makes the errors if it has none, in
// the terms of that client instead of those of a Lister or of Client::For.

#ifndef KINFORMER_CONTROLLER_DELEGATING_PLACEMENT_H_
#define KINFORMER_CONTROLLER_DELEGATING_PLACEMENT_H_

#include <string>
#include <string_view>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/resource.h"

namespace kinformer::internal::delegating {

// Returns "pods \"default/web-0\"".
std::string Quoted(const KindInfo& type, const ObjectName& name);

// Adds the namespace of the handle that is used (`home`; empty: none): see NamespaceOfCall. A name
// without a namespace may remain.
Result<ObjectName> Placed(const KindInfo& type, const ObjectName& name, const std::string& home);

// Like Placed, for one object given by its name: kInvalidArgument if the kind is namespaced and no
// namespace is known.
Result<ObjectName> PlacedName(const KindInfo& type, const ObjectName& name,
                              const std::string& home);

// Like PlacedName, for a read: also an error if a cluster-scoped kind has a namespace.
Result<ObjectName> PlacedRead(const KindInfo& type, const ObjectName& name,
                              const std::string& home);

// Like PlacedName, for an object that is sent or for a deletion of many. `where` names the field to
// set: "metadata.namespace".
Result<ObjectName> PlacedWrite(const KindInfo& type, const ObjectName& name,
                               const std::string& home, std::string_view where);

// Rewrites the error of a stopped informer's cache for a caller who did not make the informer.
Error OfStoppedCache(Error error, const KindInfo& type);

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_PLACEMENT_H_
