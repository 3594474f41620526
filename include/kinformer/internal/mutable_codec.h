// kinformer/internal/mutable_codec.h
//
// Conversion between mutable structs (corev1::Pod::Mutable) and bytes. One implementation serves
// all types, with a table per struct: its descriptor, the offsets of its members, and functions for
// its containers. Fields that the schema lacks are kept in the struct's unknown_fields.
//
// Thread-safe, nothing blocks, no state.

#ifndef KINFORMER_INTERNAL_MUTABLE_CODEC_H_
#define KINFORMER_INTERNAL_MUTABLE_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/internal/view_block.h"
#include "kinformer/object/box.h"
#include "kinformer/object/kind_info.h"

namespace kinformer::internal {

// Functions that read and fill a container member without knowing its type. Null: not supported by
// the container.
struct ContainerOps {
  // optional, Box: returns the value, null if there is none.
  const void* (*get)(const void* member) = nullptr;
  // optional, Box: creates and returns a value; list: appends one.
  void* (*add)(void* member) = nullptr;
  // list
  std::size_t (*size)(const void* member) = nullptr;
  const void* (*at)(const void* member, std::size_t index) = nullptr;
  // map: calls `entry` for each, the last key first.
  void (*walk_back)(const void* member, void* context,
                    void (*entry)(void* context, const std::string& key,
                                  const void* value)) = nullptr;
  void* (*insert)(void* member, std::string_view key) = nullptr;
};

struct MutableTable;

// A struct's member, for the descriptor's field of the same index.
struct MutableField {
  std::size_t offset = 0;                 // of the member
  const ContainerOps* ops = nullptr;      // null: the value is the member itself
  const MutableTable* table = nullptr;    // for messages
  void* (*base)(void* object) = nullptr;  // for an inlined message: the struct's base class
};

struct MutableTable {
  const MessageDescriptor* message = nullptr;
  std::span<const MutableField> fields;
  std::size_t unknown_fields = 0;  // offset of a std::string
  const KindInfo* type = nullptr;  // for kinds; null for other messages
  const BoxOps* ops = nullptr;
};

// Ops of M; used by the tables alone, so that only the library compiles them.
template <class M>
struct StructTraits {
  static void* Make() { return new M(); }
  static void* Copy(const void* value) { return new M(*static_cast<const M*>(value)); }
  static void* Move(void* value) { return new M(std::move(*static_cast<M*>(value))); }
  static void Destroy(void* value) { delete static_cast<M*>(value); }
  static constexpr BoxOps kOps{&Make, &Copy, &Move, &Destroy};
};

template <class C>
struct ContainerTraits;

template <class T>
struct ContainerTraits<std::optional<T>> {
  static const void* Get(const void* m) {
    const auto& o = *static_cast<const std::optional<T>*>(m);
    return o ? &*o : nullptr;
  }
  static void* Add(void* m) { return &static_cast<std::optional<T>*>(m)->emplace(); }
  static constexpr ContainerOps kOps{&Get, &Add, nullptr, nullptr, nullptr, nullptr};
};

template <class T>
struct ContainerTraits<Box<T>> {
  static const void* Get(const void* m) {
    const auto& o = *static_cast<const Box<T>*>(m);
    return o ? &*o : nullptr;
  }
  static void* Add(void* m) { return &static_cast<Box<T>*>(m)->emplace(); }
  static constexpr ContainerOps kOps{&Get, &Add, nullptr, nullptr, nullptr, nullptr};
};

template <class T>
struct ContainerTraits<std::map<std::string, T>> {
  using Map = std::map<std::string, T>;
  static void WalkBack(const void* m, void* context,
                       void (*entry)(void*, const std::string&, const void*)) {
    const auto& map = *static_cast<const Map*>(m);
    for (auto at = map.rbegin(); at != map.rend(); ++at) entry(context, at->first, &at->second);
  }
  static void* Insert(void* m, std::string_view key) {
    T& value = (*static_cast<Map*>(m))[std::string(key)];
    value = T();  // if a key occurs twice, the last entry counts
    return &value;
  }
  static constexpr ContainerOps kOps{nullptr, nullptr, nullptr, nullptr, &WalkBack, &Insert};
};

// Traits of std::vector, and std::deque<bool>, whose elements have addresses.
template <class C>
  requires requires(C& c) { c.emplace_back(); }
struct ContainerTraits<C> {
  static void* Add(void* m) { return &static_cast<C*>(m)->emplace_back(); }
  static std::size_t Size(const void* m) { return static_cast<const C*>(m)->size(); }
  static const void* At(const void* m, std::size_t index) {
    return &(*static_cast<const C*>(m))[index];
  }
  static constexpr ContainerOps kOps{nullptr, &Add, &Size, &At, nullptr, nullptr};
};

template <class C>
inline constexpr const ContainerOps* kContainerOps = &ContainerTraits<C>::kOps;

// Converts a struct to its base class with an inlined message's fields.
template <class Derived, class Base>
void* UpCast(void* object) {
  return static_cast<Base*>(static_cast<Derived*>(object));
}

std::string EncodeMutable(const MutableTable& table, const void* object);
// Returns true if both have the same bytes: equality of the structs.
bool SameEncoding(const MutableTable& table, const void* a, const void* b);
// Prints "Pod default/web-0".
std::ostream& PrintName(std::ostream& out, const char* kind, const std::string& namespace_,
                        const std::string& name);
std::string EncodeMutableJson(const MutableTable& table, const void* object);
Result<void> DecodeMutable(const MutableTable& table, std::string_view message, void* object);
Result<void> DecodeMutableJson(const MutableTable& table, std::string_view json, void* object);
// Decodes as much as can be read.
void DecodeMutableLeniently(const MutableTable& table, std::string_view message, void* object);

// Returns the kind's own message, without an envelope.
template <class M>
std::string EncodeProtobuf(const M& object) {
  return EncodeMutable(M::mutable_table(), &object);
}

// Returns compact JSON; with kind and apiVersion if M is a kind.
template <class M>
std::string EncodeJson(const M& object) {
  return EncodeMutableJson(M::mutable_table(), &object);
}

// Decodes a message. kDecode with message and field if the bytes are malformed.
template <class M>
Result<M> DecodeProtobuf(std::string_view message) {
  M object;
  Result<void> done = DecodeMutable(M::mutable_table(), message, &object);
  if (!done.ok()) return std::move(done).error();
  return object;
}

// Decodes JSON. kDecode with path and byte offset if `json` is malformed or does not fit the
// schema. Members that the schema lacks are dropped.
template <class M>
Result<M> DecodeJson(std::string_view json) {
  M object;
  Result<void> done = DecodeMutableJson(M::mutable_table(), json, &object);
  if (!done.ok()) return std::move(done).error();
  return object;
}

// Implements Pod::DeepCopy: copies as much of the object as can be read. REQUIRES: not null; a
// protobuf block.
template <class M>
M CopyMutable(const Block* block) {
  M object;
  DecodeMutableLeniently(M::mutable_table(), block->payload(), &object);
  if constexpr (requires { object.is_partial; }) object.is_partial = block->partial();
  return object;
}

// Returns the DeepCopy of an object. Generated structs are made by the library, so that the caller
// compiles none of their functions.
template <class T>
Box<typename T::Mutable> BoxedCopy(const T& object) {
  using M = typename T::Mutable;
  if constexpr (IsGenerated<M>) {
    Box<M> copy;
    M& out = copy.emplace();
    const Block* const block = BlockOfView(object);
    DecodeMutableLeniently(M::mutable_table(), block->payload(), &out);
    if constexpr (requires { out.is_partial; }) out.is_partial = block->partial();
    return copy;
  } else {
    return object.DeepCopy();
  }
}

// Implements PodSpec::DeepCopy.
template <class M>
M CopyMutableMessage(std::string_view message) {
  M object;
  DecodeMutableLeniently(M::mutable_table(), message, &object);
  return object;
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_MUTABLE_CODEC_H_
