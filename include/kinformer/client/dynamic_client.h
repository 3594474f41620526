// kinformer/client/dynamic_client.h
//
// Dynamic client: the verbs of the API for kinds that the program does not know at compile time: a
// ResourceClient for Unstructured objects.
//
//   RestMapping mapping = client.Discovery().MappingFor("crontabs.stable.example.com").OrExit();
//   for (Unstructured tab : client.Dynamic(mapping, "default").List().OrExit()) ...
//
// Counterpart: k8s.io/client-go/dynamic.

#ifndef KINFORMER_CLIENT_DYNAMIC_CLIENT_H_
#define KINFORMER_CLIENT_DYNAMIC_CLIENT_H_

#include <string>
#include <utility>

#include "kinformer/client/discovery.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {

// Client of a resource that is known by name only. Counterpart: dynamic.ResourceInterface.
using DynamicResourceClient = ResourceClient<Unstructured>;

inline DynamicResourceClient Client::Dynamic(const RestMapping& mapping,
                                             std::string namespace_) const {
  return DynamicResourceClient(CoreFor(mapping.dynamic_type(), std::move(namespace_)));
}

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_DYNAMIC_CLIENT_H_
