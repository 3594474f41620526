// kinformer/internal/block.h
//
// Block: one API object in memory, in one allocation: a header, an index of the fields that are
// present in the root's direct children, and the bytes from the server, with the metadata first. So
// a look-up by key reads the first cache lines only. Immutable once built.
// docs/inside/object-layout.md has the layout to the byte.
//
// ObjectRef is the counted handle on a Block; Ref<T> (ref.h) is the same with a type.

#ifndef KINFORMER_INTERNAL_BLOCK_H_
#define KINFORMER_INTERNAL_BLOCK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "kinformer/internal/kind_info.h"

namespace kinformer::internal {

class Block {
 public:
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void AddRef() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Release() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) Destroy();
  }

  [[nodiscard]] const KindInfo& type() const { return *type_; }
  [[nodiscard]] Encoding encoding() const { return type_->encoding(); }

  // Return views into the payload; they live as long as the block.
  [[nodiscard]] std::string_view payload() const { return {data(), payload_size_}; }
  [[nodiscard]] std::string_view name() const { return Text(0); }
  [[nodiscard]] std::string_view namespace_() const { return Text(1); }
  [[nodiscard]] std::string_view uid() const { return Text(2); }
  [[nodiscard]] std::string_view resourceVersion() const { return Text(3); }

  // Returns true if a projection cut fields away: the object must not be PUT.
  [[nodiscard]] bool partial() const;
  // Returns true if it is compressed: only the type and the four texts above are readable then.
  [[nodiscard]] bool packed() const { return (flags_ & kPackedFlag) != 0; }

  // Returns the size of the allocation, malloc's overhead included, as glibc rounds it; byte
  // accounting adds these up. Calculated from the contents instead of asked from malloc, which
  // sometimes gives a few bytes more: equal blocks count the same in every run.
  [[nodiscard]] std::size_t allocated_bytes() const;

  // Returns true if type, uid, resourceVersion and bytes are equal, packed or not.
  [[nodiscard]] bool SameAs(const Block& other) const;

  // Links of the store: the version at which this block became current, and the block that it
  // replaced. A block is in at most one store, which owns the links; no one else accesses them.
  // TryClaim returns false if another store has the block.
  struct StoreLink {
    std::atomic<std::uint64_t>& version;
    std::atomic<const Block*>& previous;
  };
  [[nodiscard]] StoreLink store_link() const { return {store_version_, store_previous_}; }
  // Prefetches the memory that a look-up by key reads: the second half of the header, and the key:
  // some 165 bytes from the start if there is an index, right behind the header otherwise.
  void PrefetchKey() const {
    constexpr std::size_t kSecondHalf = 32;
    for (std::size_t line = 0; line < 4; ++line) {
      __builtin_prefetch(base() + kSecondHalf + 64 * line);
    }
  }
  [[nodiscard]] bool TryClaim() const {
    return !claimed_.exchange(true, std::memory_order_acq_rel);
  }
  void Unclaim() const { claimed_.store(false, std::memory_order_release); }

  // ---- For views (view.h).
  // Returns the ObjectMeta message, whatever the encoding of the rest.
  [[nodiscard]] std::string_view metadata_bytes() const;
  // JSON blocks: returns the text of the string with escapes that starts at `quote`, a position in
  // the payload.
  [[nodiscard]] std::string_view UnescapedString(const char* quote) const noexcept;
  // Returns the program's struct, decoded on arrival, with its head in front. Null if the type has
  // none, and in packed blocks.
  [[nodiscard]] const StructInfo::Head* structure() const noexcept;

 private:
  friend class BlockBuilder;
  friend class BlockReader;  // object/block/block_reader.h
  static constexpr std::uint8_t kPackedFlag = 8;
  Block() = default;
  ~Block() = default;
  void Destroy() const;
  [[nodiscard]] std::size_t StructureAt() const noexcept;
  [[nodiscard]] const char* base() const { return reinterpret_cast<const char*>(this); }
  [[nodiscard]] const char* data() const { return base() + payload_at_; }
  [[nodiscard]] std::string_view Text(std::size_t i) const {
    return {base() + metadata_at_ + at_[i], size_[i]};
  }
  // Returns all bytes behind the header, without the struct.
  [[nodiscard]] std::string_view content() const {
    return {base() + sizeof(Block),
            payload_at_ - sizeof(Block) + std::size_t{payload_size_} + tail_size_};
  }

  const KindInfo* type_ = nullptr;
  mutable std::atomic<const Block*> store_previous_{nullptr};
  std::uint32_t payload_size_ = 0;
  std::uint32_t payload_at_ = 0;  // from the start of the block
  std::uint32_t metadata_size_ = 0;
  // Bytes after the payload: the unescaped strings of JSON blocks.
  std::uint32_t tail_size_ = 0;
  // The members from here on are read by look-ups by key.
  mutable std::atomic<std::uint32_t> refs_{1};
  mutable std::atomic<bool> claimed_{false};
  std::uint8_t flags_ = 0;
  std::uint8_t root_count_ = 0;   // entries of the root's index
  std::uint8_t child_count_ = 0;  // children that have an index of their own
  mutable std::atomic<std::uint64_t> store_version_{0};
  std::uint32_t metadata_at_ = 0;  // from the start of the block
  // name, namespace, uid, resourceVersion: from the start of the metadata.
  std::uint16_t at_[4] = {};
  std::uint8_t size_[4] = {};
};

// A counted handle on a Block. 8 bytes; copying counts. Null by default. Different handles may be
// used by different threads at the same time.
class ObjectRef {
 public:
  ObjectRef() = default;
  // Takes over a count of the caller.
  static ObjectRef Adopt(const Block* block) {
    ObjectRef ref;
    ref.block_ = block;
    return ref;
  }
  // Adds a count.
  static ObjectRef Share(const Block* block) {
    if (block != nullptr) block->AddRef();
    return Adopt(block);
  }
  ObjectRef(const ObjectRef& other) : block_(other.block_) {
    if (block_ != nullptr) block_->AddRef();
  }
  ObjectRef(ObjectRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  ObjectRef& operator=(const ObjectRef& other) {
    ObjectRef copy(other);
    std::swap(block_, copy.block_);
    return *this;
  }
  ObjectRef& operator=(ObjectRef&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~ObjectRef() {
    if (block_ != nullptr) block_->Release();
  }

  explicit operator bool() const { return block_ != nullptr; }
  [[nodiscard]] const Block* get() const { return block_; }
  [[nodiscard]] const Block* operator->() const { return block_; }
  [[nodiscard]] const Block& operator*() const { return *block_; }
  // Releases the block without decrementing: the caller owns the count.
  [[nodiscard]] const Block* Detach() { return std::exchange(block_, nullptr); }
  friend bool operator==(const ObjectRef& a, const ObjectRef& b) { return a.block_ == b.block_; }

 private:
  const Block* block_ = nullptr;
};

// Returns the object uncompressed: itself, or for a packed one a new block that belongs to the
// caller. Takes a few microseconds.
[[nodiscard]] ObjectRef Unpacked(const ObjectRef& object);

// Returns a copy in an allocation of its own, unclaimed, to put an object into a second store.
[[nodiscard]] ObjectRef CloneBlock(const Block& block);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_BLOCK_H_
