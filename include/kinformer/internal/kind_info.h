// kinformer/internal/kind_info.h
//
// Kinds that are known only at run time; and StructInfo, a struct of the program for objects of
// such a kind.

#ifndef KINFORMER_INTERNAL_KIND_INFO_H_
#define KINFORMER_INTERNAL_KIND_INFO_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/object/kind_info.h"

namespace kinformer::internal {

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

// Returns a KindInfo for a kind that is known only at run time. Interned: equal arguments give the
// same pointer, which stays valid for ever (kinds are few). Thread-safe.
const KindInfo* DynamicKindInfo(std::string_view group, std::string_view version,
                                std::string_view kind, std::string_view resource, bool namespaced);

// Returns the KindInfo of PartialObjectMetadata objects of a resource: metadata only, stored as
// protobuf. Interned too.
const KindInfo* MetadataKindInfo(std::string_view group, std::string_view version,
                                 std::string_view kind, std::string_view resource, bool namespaced);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_KIND_INFO_H_
