// kinformer/internal/type_info.h
//
// TypeInfo: what the untyped machinery knows of a kind. One static instance per built-in kind
// (generated), one shared instance per dynamic kind in use.

#ifndef KINFORMER_INTERNAL_TYPE_INFO_H_
#define KINFORMER_INTERNAL_TYPE_INFO_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/internal/encoding.h"
#include "kinformer/result.h"

namespace kinformer::internal {

struct MessageDescriptor;  // internal/descriptor.h

class Block;

// A program's own struct that objects of a kind are decoded into at entry and that lives in their
// blocks, behind the tail (docs/object-layout.md).
struct StructInfo {
  // What stands in front of the struct.
  struct Head {
    std::uint32_t heap_bytes;  // that the struct owns elsewhere: its strings, lists and maps
    std::uint32_t dropped;     // members of the object that the struct has no place for
  };
  std::size_t size;   // of the head with the struct
  std::size_t align;  // at most malloc's
  // Makes head and struct at `at` from the block's JSON. kDecode if that does not fit the struct;
  // then nothing is made.
  Result<void> (*make)(void* at, const Block& block);
  void (*destroy)(void* at);
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
  // For dynamic kinds that the program has a struct for.
  const StructInfo* structure = nullptr;

  [[nodiscard]] Encoding encoding() const {
    return message != nullptr ? Encoding::kProtobuf : Encoding::kJson;
  }
  [[nodiscard]] std::string apiVersion() const {
    return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  }
};

// A TypeInfo for a kind that is known only at run time. Interned: the same arguments give the same
// pointer, and it lives for ever (kinds are few). Thread-safe.
const TypeInfo* DynamicTypeInfo(std::string_view group, std::string_view version,
                                std::string_view kind, std::string_view resource, bool namespaced);

// The TypeInfo of PartialObjectMetadata objects of a resource: metadata only, kept as protobuf.
// Interned likewise.
const TypeInfo* MetadataTypeInfo(std::string_view group, std::string_view version,
                                 std::string_view kind, std::string_view resource, bool namespaced);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_TYPE_INFO_H_
