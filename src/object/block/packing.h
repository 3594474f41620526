// object/block/packing.h
//
// Packed blocks: objects under zstd with a dictionary that was trained on objects of the same
// collection. A third of the memory or less, for a few microseconds at each read.
// docs/inside/object-layout.md has the layout.
//
// Only name, namespace, uid, resourceVersion and the type of a packed block can be read directly.
// For all other fields, Unpacked (block.h) makes an ordinary block.

#ifndef KINFORMER_OBJECT_BLOCK_PACKING_H_
#define KINFORMER_OBJECT_BLOCK_PACKING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/internal/block.h"

namespace kinformer::internal {

// Dictionary that blocks are compressed with. Reference-counted: every packed block holds a
// reference. Immutable and thread-safe.
class Dictionary {
 public:
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  void AddRef() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Release() const;

  // Returns the object packed, or the same block with one more reference if packing would not make
  // it smaller. Equal objects give equal bytes.
  [[nodiscard]] ObjectRef Pack(const ObjectRef& object) const;

  // Bytes of the dictionary: its text, and zstd's tables for both directions.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  friend class DictionaryTrainer;
  friend ObjectRef Unpacked(const ObjectRef& object);
  Dictionary() = default;
  ~Dictionary();

  mutable std::atomic<std::uint32_t> refs_{1};
  void* compress_ = nullptr;    // ZSTD_CDict
  void* decompress_ = nullptr;  // ZSTD_DDict
  std::size_t bytes_ = 0;
};

// Shares a Dictionary.
class DictionaryRef {
 public:
  DictionaryRef() = default;
  // Takes over one reference from the caller.
  explicit DictionaryRef(const Dictionary* adopted) : dictionary_(adopted) {}
  DictionaryRef(DictionaryRef&& other) noexcept
      : dictionary_(std::exchange(other.dictionary_, nullptr)) {}
  DictionaryRef& operator=(DictionaryRef&& other) noexcept {
    std::swap(dictionary_, other.dictionary_);
    return *this;
  }
  ~DictionaryRef() {
    if (dictionary_ != nullptr) dictionary_->Release();
  }
  explicit operator bool() const { return dictionary_ != nullptr; }
  const Dictionary* operator->() const { return dictionary_; }

 private:
  const Dictionary* dictionary_ = nullptr;
};

// Collects objects until there are enough to train a dictionary on. Thread-compatible.
class DictionaryTrainer {
 public:
  // A dictionary hardly improves with more objects than these.
  static constexpr std::size_t kSamples = 256;
  // With fewer objects a dictionary is not worth training.
  static constexpr std::size_t kFewestSamples = 128;

  void Add(const Block& object);
  [[nodiscard]] std::size_t size() const { return sizes_.size(); }
  // Takes a millisecond or two. Null if there are no samples or not enough memory.
  [[nodiscard]] DictionaryRef Train();

 private:
  std::string samples_;
  std::vector<std::size_t> sizes_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_BLOCK_PACKING_H_
