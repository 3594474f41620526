// kinformer/internal/struct_in_block.h
//
// StructInBlock<T>: a user's struct as stored in the block of its object, and the functions by
// which untyped block code creates and destroys it.

#ifndef KINFORMER_INTERNAL_STRUCT_IN_BLOCK_H_
#define KINFORMER_INTERNAL_STRUCT_IN_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "kinformer/internal/block.h"
#include "kinformer/internal/fields_codec.h"
#include "kinformer/internal/kind_info.h"

namespace kinformer::internal {

// Returns about how many bytes a member owns elsewhere: texts, lists and maps with their content.
// Without malloc's overhead, and without memory of json::Value.
template <class T>
std::size_t HeapBytes(const T& value) {
  std::size_t bytes = 0;
  if constexpr (std::is_same_v<T, std::string>) {
    bytes = value.capacity() > std::string().capacity() ? value.capacity() + 1 : 0;
  } else if constexpr (std::is_same_v<T, intstr::IntOrStringMutable>) {
    bytes = HeapBytes(value.strVal);
  } else if constexpr (HasFields<T>) {
    EachField(value, [&]<class Member>(const FieldFacts&, const Member& member) {
      if constexpr (!kIsBag<Member>) bytes += HeapBytes(member);
    });
  } else if constexpr (HasMutableTable<T>) {
    bytes = EncodeMutable(T::mutable_table(), &value).size();
  } else if constexpr (kIsOptional<T>) {
    using Element = std::remove_cvref_t<decltype(*value)>;
    if (value.has_value()) {
      bytes = HeapBytes<Element>(*value) + (sizeof(T) < sizeof(Element) ? sizeof(Element) : 0);
    }
  } else if constexpr (kIsList<T>) {
    using Element = typename T::value_type;
    bytes = std::is_same_v<Element, bool> ? value.size() / 8 : value.size() * sizeof(Element);
    for (const auto& item : value) bytes += HeapBytes<Element>(item);
  } else if constexpr (kIsMap<T>) {
    constexpr std::size_t kNode = 4 * sizeof(void*);  // of a red-black tree, beside the pair
    for (const auto& [name, item] : value) {
      bytes += kNode + sizeof(typename T::value_type) + HeapBytes(name) + HeapBytes(item);
    }
  }
  return bytes;
}

template <class T>
struct StructInBlock {
  StructInfo::Head head;
  T value;

  static Result<void> Make(void* at, const Block& block) {
    std::size_t dropped = 0;
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): a value says itself where it ends
    Result<T> read = DecodeFields<T>(json::View(block.payload().data(), &block), &dropped);
    if (!read) return std::move(read).error();
    auto* const made = new (at) StructInBlock{{}, *std::move(read)};
    made->head = {Fitting(HeapBytes(made->value)), Fitting(dropped)};
    return {};
  }
  static void Destroy(void* at) { std::destroy_at(std::launder(static_cast<StructInBlock*>(at))); }

  static std::uint32_t Fitting(std::size_t count) {
    constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
    return count < kMost ? static_cast<std::uint32_t>(count) : kMost;
  }
};

template <class T>
inline constexpr StructInfo kStructInfo{sizeof(StructInBlock<T>), alignof(StructInBlock<T>),
                                        &StructInBlock<T>::Make, &StructInBlock<T>::Destroy};

// Ends the program with a message: a view shows an object that was not built for its kind, which is
// an error in the program.
[[noreturn]] void FailWithoutStruct(const Block* block, const KindInfo& wanted);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_STRUCT_IN_BLOCK_H_
