// kinformer/internal/queue_table.h
//
// QueueTable: hash table of a work queue's items, each with its state in the queue.

#ifndef KINFORMER_INTERNAL_QUEUE_TABLE_H_
#define KINFORMER_INTERNAL_QUEUE_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/internal/queue_line.h"
#include "kinformer/object/object_name.h"

namespace kinformer::internal {

// An item as stored in a table. `text` is memory of TextBytes, which lives as long as the item.
template <class Item>
class StoredItem {
 public:
  static std::size_t TextBytes(const Item&) { return 0; }
  StoredItem(const Item& item, char* /*text*/) : item_(item) {}
  [[nodiscard]] bool Equals(const Item& item, const char* /*text*/) const { return item_ == item; }
  [[nodiscard]] Item Get(const char* /*text*/) const { return item_; }

 private:
  const Item item_;
};

// Stores namespace and name behind the node, each after its size: half the memory of two strings,
// and one allocation.
template <>
class StoredItem<ObjectName> {
 public:
  static std::size_t TextBytes(const ObjectName& name) {
    return PartBytes(name.namespace_) + PartBytes(name.name);
  }
  StoredItem(const ObjectName& name, char* text) {
    WritePart(name.name, WritePart(name.namespace_, text));
  }
  [[nodiscard]] bool Equals(const ObjectName& name, const char* text) const {
    const std::string_view namespace_part = ReadPart(text);
    return namespace_part == name.namespace_ && ReadPart(text) == name.name;
  }
  [[nodiscard]] ObjectName Get(const char* text) const {
    std::string namespace_part(ReadPart(text));
    return {std::move(namespace_part), std::string(ReadPart(text))};
  }

 private:
  // The size is one byte, which is enough for names in a cluster, or kLong and four bytes, for
  // names longer than any server allows.
  static constexpr unsigned char kLong = 0xff;

  static std::size_t PartBytes(const std::string& part) {
    return part.size() + (part.size() < kLong ? 1 : 1 + sizeof(std::uint32_t));
  }
  // Writes a part and returns the end.
  static char* WritePart(const std::string& part, char* text) {
    const auto size = static_cast<std::uint32_t>(part.size());
    *text++ = static_cast<char>(std::min<std::uint32_t>(size, kLong));
    if (size >= kLong) {
      std::memcpy(text, &size, sizeof(size));
      text += sizeof(size);
    }
    return std::ranges::copy(part, text).out;
  }
  // Reads a part and moves `text` behind it.
  static std::string_view ReadPart(const char*& text) {
    std::uint32_t size = static_cast<unsigned char>(*text++);
    if (size == kLong) {
      std::memcpy(&size, text, sizeof(size));
      text += sizeof(size);
    }
    const std::string_view part(text, size);
    text += size;
    return part;
  }
};

// Hashes both names; std::hash would take longer than all other steps of adding an item.
[[nodiscard]] std::size_t HashOfName(std::uint64_t seed, const ObjectName& name);

// A hash table with a list for each bucket. Nodes do not move. Not thread-safe: its queue's monitor
// guards all methods but HashOf, which should be called without the lock.
template <class Item, class Hash>
class QueueTable {
 public:
  // Creates a table. A random seed keeps users who name objects from choosing collisions.
  explicit QueueTable(std::uint64_t seed, const QueueNotes& notes = {})
      : seed_(seed), notes_(notes) {}
  ~QueueTable() {
    EraseIf([](const Slot&) { return true; });
  }
  QueueTable(const QueueTable&) = delete;
  QueueTable& operator=(const QueueTable&) = delete;

  [[nodiscard]] std::size_t HashOf(const Item& item) const {
    if constexpr (std::is_same_v<Hash, std::hash<ObjectName>>) {
      return HashOfName(seed_, item);
    } else {
      return Hash()(item);
    }
  }
  [[nodiscard]] QueueNode* Find(const Item& item, std::size_t hash) const {
    const std::uint32_t mixed = Mixed(hash);
    return buckets_.empty() ? nullptr : FindIn(buckets_[BucketOf(mixed)], item, mixed);
  }
  // Returns the node of `item`; creates it if there is none.
  QueueNode& FindOrMake(const Item& item, std::size_t hash) {
    const std::uint32_t mixed = Mixed(hash);
    if (!buckets_.empty()) {
      if (Slot* const slot = FindIn(buckets_[BucketOf(mixed)], item, mixed)) return *slot;
    }
    if (size_ >= buckets_.size()) Rehash(std::max(kLeastBuckets, 2 * buckets_.size()));
    Slot* const slot = Make(item);
    slot->hash = mixed & kHashBits;
    slot->next_in_bucket = buckets_[BucketOf(mixed)];
    buckets_[BucketOf(mixed)] = slot;
    ++size_;
    return *slot;
  }
  static Item ItemOf(const QueueNode& node) {
    const Slot& slot = static_cast<const Slot&>(node);
    return slot.item.Get(slot.text());
  }
  // Returns the memory in front of `node`. REQUIRES: the queue has notes.
  [[nodiscard]] void* NoteOf(QueueNode& node) const {
    return reinterpret_cast<char*>(&static_cast<Slot&>(node)) - notes_.bytes;
  }
  [[nodiscard]] const void* NoteOf(const QueueNode& node) const {
    return reinterpret_cast<const char*>(&static_cast<const Slot&>(node)) - notes_.bytes;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Calls `each` with all nodes, in no order.
  template <class Each>
  void ForEach(const Each& each) const {
    for (const Slot* slot : buckets_) {
      for (; slot != nullptr; slot = slot->next_in_bucket) each(*slot);
    }
  }
  void Erase(QueueNode& node) {
    Slot* const slot = &static_cast<Slot&>(node);
    Slot** at = &buckets_[BucketOf(slot->hash)];
    while (*at != slot) at = &(*at)->next_in_bucket;
    *at = slot->next_in_bucket;
    Free(slot);
    // Returns memory to the system after a peak.
    if (buckets_.size() > kLeastBuckets && size_ < buckets_.size() / 8) {
      Rehash(buckets_.size() / 4);
    }
  }
  void EraseIdle() {
    EraseIf([](const Slot& slot) { return slot.idle(); });
  }

 private:
  struct Slot : QueueNode {
    Slot(const Item& stored, char* text) : item(stored, text) {}
    [[nodiscard]] const char* text() const { return reinterpret_cast<const char*>(this + 1); }
    Slot* next_in_bucket = nullptr;
    [[no_unique_address]] StoredItem<Item> item;
  };

  static constexpr std::size_t kLeastBuckets = 16;
  static constexpr std::uint32_t kHashBits = (1U << 28) - 1;

  // Mixes a hash into as many bits as a node keeps; also works for hashes that are the item itself,
  // or multiples of a number.
  static std::uint32_t Mixed(std::size_t hash) {
    return static_cast<std::uint32_t>((std::uint64_t{hash} * 0x9e3779b97f4a7c15U) >> 36);
  }
  [[nodiscard]] std::size_t BucketOf(std::uint32_t mixed) const {
    return mixed & (buckets_.size() - 1);
  }
  static Slot* FindIn(Slot* slot, const Item& item, std::uint32_t mixed) {
    while (slot != nullptr && !(slot->hash == mixed && slot->item.Equals(item, slot->text()))) {
      slot = slot->next_in_bucket;
    }
    return slot;
  }
  struct Deallocate {
    void operator()(void* memory) const { ::operator delete(memory); }
  };
  Slot* Make(const Item& item) const {
    static_assert(alignof(Slot) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "items of usual alignment");
    std::unique_ptr<void, Deallocate> memory(
        ::operator new(notes_.bytes + sizeof(Slot) + StoredItem<Item>::TextBytes(item)));
    char* const at = static_cast<char*>(memory.get()) + notes_.bytes;
    Slot* const slot = new (at) Slot(item, at + sizeof(Slot));
    if (notes_.bytes != 0) notes_.make(memory.get());
    static_cast<void>(memory.release());
    return slot;
  }
  void Free(Slot* slot) {
    void* const memory = NoteOf(*slot);
    if (notes_.bytes != 0) notes_.destroy(memory);
    slot->~Slot();
    ::operator delete(memory);
    --size_;
  }
  void Rehash(std::size_t count) {
    std::vector<Slot*> before(count);
    before.swap(buckets_);
    for (Slot* slot : before) {
      while (slot != nullptr) {
        Slot* const next = slot->next_in_bucket;
        slot->next_in_bucket = buckets_[BucketOf(slot->hash)];
        buckets_[BucketOf(slot->hash)] = slot;
        slot = next;
      }
    }
  }
  template <class Predicate>
  void EraseIf(Predicate predicate) {
    for (Slot*& bucket : buckets_) {
      Slot** at = &bucket;
      while (*at != nullptr) {
        Slot* const slot = *at;
        if (predicate(*slot)) {
          *at = slot->next_in_bucket;
          Free(slot);
        } else {
          at = &slot->next_in_bucket;
        }
      }
    }
  }

  const std::uint64_t seed_;
  const QueueNotes notes_;
  std::vector<Slot*> buckets_;  // size: a power of two, or 0
  std::size_t size_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_QUEUE_TABLE_H_
