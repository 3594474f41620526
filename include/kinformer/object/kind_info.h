// kinformer/object/kind_info.h
//
// KindInfo: a kind of objects as code sees it that handles all kinds alike. A type has one
// (corev1::Pod::kind_info()), and so has a kind of which the program knows only the name
// (RestMapping::dynamic_type()).

#ifndef KINFORMER_OBJECT_KIND_INFO_H_
#define KINFORMER_OBJECT_KIND_INFO_H_

#include <string>
#include <string_view>

#include "kinformer/internal/encoding.h"

namespace kinformer {

namespace internal {
struct MessageDescriptor;  // internal/descriptor.h
struct StructInfo;         // internal/kind_info.h
}  // namespace internal

// A kind, with its resource. A constant: each object refers to that of its kind, so it is never
// destroyed, and two objects have the same type if they refer to the same one. Counterpart: an
// entry of a runtime.Scheme with its meta.RESTMapping.
struct KindInfo {
  std::string_view group;  // empty: the core group
  std::string_view version;
  std::string_view kind;
  std::string_view resource;  // plural; empty for kinds without a resource (lists, options)
  std::string_view singular;
  bool namespaced = false;

  // ---- How the library stores objects of the kind.
  // Fields of the kind's protobuf message; null for dynamic kinds, whose objects stay JSON.
  const internal::MessageDescriptor* message = nullptr;
  // Set for dynamic kinds that the program has a struct for.
  const internal::StructInfo* structure = nullptr;

  [[nodiscard]] internal::Encoding encoding() const {
    return message != nullptr ? internal::Encoding::kProtobuf : internal::Encoding::kJson;
  }

  // Returns "apps/v1", or "v1" for the core group.
  [[nodiscard]] std::string apiVersion() const;
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_KIND_INFO_H_
