// kinformer/client/dynamic_client.h
//
// Dynamic client: the verbs of the API for kinds that the program does not know at compile time: a
// ResourceClient for Unstructured objects.
//
//   RestMapping mapping = client.Discovery().MappingFor("crontabs.stable.example.com").OrExit();
//   for (Unstructured tab : client.Dynamic(mapping, "default").List().OrExit()) ...
//
// Metadata client: the same for the metadata only.
//
// Counterparts: k8s.io/client-go/dynamic and metadata.

#ifndef KINFORMER_CLIENT_DYNAMIC_CLIENT_H_
#define KINFORMER_CLIENT_DYNAMIC_CLIENT_H_

#include <string>
#include <utility>

#include "kinformer/client/discovery.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/object/partial_object_metadata.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {

// Client of a resource that is known by name only. Counterpart: dynamic.ResourceInterface.
using DynamicResourceClient = ResourceClient<Unstructured>;

inline DynamicResourceClient Client::Dynamic(const RestMapping& mapping,
                                             std::string namespace_) const {
  return DynamicResourceClient(CoreFor(mapping.dynamic_type(), std::move(namespace_)));
}

// Client of the metadata of a resource: gets, lists, watches, deletes and patches. Parts that a
// server sends without being asked are dropped. Counterpart: metadata.ResourceInterface.
using MetadataResourceClient = ResourceClient<metav1::PartialObjectMetadata>;

inline MetadataResourceClient Client::Metadata(const RestMapping& mapping,
                                               std::string namespace_) const {
  return MetadataResourceClient(CoreFor(mapping.metadata_type(), std::move(namespace_)));
}

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_DYNAMIC_CLIENT_H_
