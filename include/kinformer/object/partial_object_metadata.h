// kinformer/object/partial_object_metadata.h
//
// metav1::PartialObjectMetadata: an object of which only the metadata was requested. Objects of
// metadata-only informers.

#ifndef KINFORMER_OBJECT_PARTIAL_OBJECT_METADATA_H_
#define KINFORMER_OBJECT_PARTIAL_OBJECT_METADATA_H_

#include <string>
#include <string_view>

#include "kinformer/object/object.h"

namespace kinformer::metav1 {

// A view of 8 bytes. kind() and resource() are those of the whole object.
class PartialObjectMetadata : public kinformer::Object {
 public:
  using Object::Object;
};

}  // namespace kinformer::metav1

#endif  // KINFORMER_OBJECT_PARTIAL_OBJECT_METADATA_H_
