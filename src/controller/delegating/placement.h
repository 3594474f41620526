// controller/delegating/placement.h
//
// In which namespace a call of a DelegatingClient is, and what to write where it says none: in the
// words of that client, which are not those of a Lister or of Client::For.

#ifndef KINFORMER_CONTROLLER_DELEGATING_PLACEMENT_H_
#define KINFORMER_CONTROLLER_DELEGATING_PLACEMENT_H_

#include <string>
#include <string_view>

#include "kinformer/error.h"
#include "kinformer/object_name.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"

namespace kinformer::internal::delegating {

// "pods \"default/web-0\"".
std::string Quoted(const TypeInfo& type, const ObjectName& name);

// With the namespace of the handle that asks (`home`; empty: none): see NamespaceOfCall. A name
// without a namespace stays one.
Result<ObjectName> Placed(const TypeInfo& type, const ObjectName& name, const std::string& home);

// The same of one object that is meant by its name: kInvalidArgument where the kind has namespaces
// and none is known.
Result<ObjectName> PlacedName(const TypeInfo& type, const ObjectName& name,
                              const std::string& home);

// The same of one that is read: also where the kind has no namespaces, and one is given.
Result<ObjectName> PlacedRead(const TypeInfo& type, const ObjectName& name,
                              const std::string& home);

// As PlacedName, of an object that is sent or of all that are deleted. `where` says what is to be
// set: "metadata.namespace".
Result<ObjectName> PlacedWrite(const TypeInfo& type, const ObjectName& name,
                               const std::string& home, std::string_view where);

// The error of a cache whose informer was stopped, as it is for who did not make that; others stay.
Error OfStoppedCache(Error error, const TypeInfo& type);

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_PLACEMENT_H_
