// kinformer/internal/type_info.h
//
// TypeInfo: description of a kind for untyped code. One static instance per built-in kind
// (generated), one shared instance per dynamic kind in use.

#ifndef KINFORMER_INTERNAL_TYPE_INFO_H_
#define KINFORMER_INTERNAL_TYPE_INFO_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/internal/encoding.h"

namespace kinformer::internal {

struct MessageDescriptor;  // internal/descriptor.h

class Block;

// A struct of the program, into which objects of a kind are decoded on arrival. It is stored in
// their blocks, behind the tail (docs/inside/object-layout.md).
struct StructInfo {
  // Header in front of the struct.
  struct Head {
    std::uint32_t heap_bytes;  // memory of the struct's strings, lists and maps
    std::uint32_t dropped;     // members of the object that the struct does not declare
  };
  std::size_t size;   // of head and struct together
  std::size_t align;  // at most malloc's
  // Constructs head and struct at `at` from the block's JSON. kDecode if it does not fit the
  // struct; then nothing is constructed.
  Result<void> (*make)(void* at, const Block& block);
  void (*destroy)(void* at);
};

struct TypeInfo {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view resource;  // plural; empty for kinds without a resource (lists, options)
  std::string_view singular;
  bool namespaced = false;
  // Fields of the kind's protobuf message; null for dynamic kinds, whose objects stay JSON.
  const MessageDescriptor* message = nullptr;
  // Set for dynamic kinds that the program has a struct for.
  const StructInfo* structure = nullptr;

  [[nodiscard]] Encoding encoding() const {
    return message != nullptr ? Encoding::kProtobuf : Encoding::kJson;
  }
  [[nodiscard]] std::string apiVersion() const;
};

// Returns a TypeInfo for a kind that is known only at run time. Interned: equal arguments give the
// same pointer, which stays valid for ever (kinds are few). Thread-safe.
const TypeInfo* DynamicTypeInfo(std::string_view group, std::string_view version,
                                std::string_view kind, std::string_view resource, bool namespaced);

// Returns the TypeInfo of PartialObjectMetadata objects of a resource: metadata only, stored as
// protobuf. Interned too.
const TypeInfo* MetadataTypeInfo(std::string_view group, std::string_view version,
                                 std::string_view kind, std::string_view resource, bool namespaced);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_TYPE_INFO_H_
