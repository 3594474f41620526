// kinformer/internal/type_info.h
//
// TypeInfo: what the untyped machinery knows of a kind. One static instance per built-in kind (generated), one shared instance per
// dynamic kind in use.

#ifndef KINFORMER_INTERNAL_TYPE_INFO_H_
#define KINFORMER_INTERNAL_TYPE_INFO_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kinformer::internal {

struct MessageDescriptor;  // internal/descriptor.h

// How a block's payload is encoded.
enum class Encoding : std::uint8_t {
  kProtobuf,  // the kind's own message, without the k8s envelope
  kJson,      // the object's JSON without kind and apiVersion
};

struct TypeInfo {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view resource;  // plural; empty for kinds that are not served (lists, options)
  std::string_view singular;
  bool namespaced = false;
  // Fields of the kind's protobuf message; null for dynamic kinds, whose objects stay JSON.
  const MessageDescriptor* message = nullptr;

  [[nodiscard]] Encoding encoding() const {
    return message != nullptr ? Encoding::kProtobuf : Encoding::kJson;
  }
  [[nodiscard]] std::string apiVersion() const {
    return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  }
};

// A TypeInfo for a kind that is known only at run time. Interned: the same arguments give the same pointer, and it lives for
// ever (kinds are few). Thread-safe.
const TypeInfo* DynamicTypeInfo(std::string_view group, std::string_view version,
                                std::string_view kind, std::string_view resource, bool namespaced);

// The TypeInfo of PartialObjectMetadata objects of a resource: metadata only, kept as protobuf. Interned likewise.
const TypeInfo* MetadataTypeInfo(std::string_view group, std::string_view version,
                                 std::string_view kind, std::string_view resource, bool namespaced);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_TYPE_INFO_H_
