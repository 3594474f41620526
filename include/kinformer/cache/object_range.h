// kinformer/cache/object_range.h
//
// ObjectRange<T>: the result of a query on one version of a store.
//
//   for (corev1::Pod pod : lister.Namespace("default").List(selector)) ...
//
// The range keeps that version alive, so that it can be the result of a query on a temporary.
// Its views and strings live as long as the range, a copy of it, or a Snapshot of the same
// version.

#ifndef KINFORMER_CACHE_OBJECT_RANGE_H_
#define KINFORMER_CACHE_OBJECT_RANGE_H_

#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/internal/attributes.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/internal/view_block.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace internal {

// Position in a range, which is a list of blocks or all of a snapshot.
class BlockCursor {
 public:
  BlockCursor() = default;
  BlockCursor(const SnapshotCore& of, const Block* const* list, std::size_t at)
      : snapshot_(&of), list_(list), at_(at) {}
  // Creates a cursor at the first object; End returns one behind the last.
  explicit BlockCursor(const SnapshotCore& snapshot) : snapshot_(&snapshot) {
    static_cast<void>(snapshot_->NextBatch(cursor_, batch_));
  }
  static BlockCursor End(const SnapshotCore& snapshot) {
    BlockCursor end;
    end.at_ = snapshot.size();
    return end;
  }

  [[nodiscard]] const Block* block() const {
    return snapshot_->Whole(list_ != nullptr ? list_[at_] : batch_[at_ % batch_.size()]);
  }
  void Advance() {
    ++at_;
    if (list_ == nullptr && at_ % batch_.size() == 0) {
      static_cast<void>(snapshot_->NextBatch(cursor_, batch_));
    }
  }
  friend bool operator==(const BlockCursor& a, const BlockCursor& b) { return a.at_ == b.at_; }

 private:
  const SnapshotCore* snapshot_ = nullptr;
  const Block* const* list_ = nullptr;
  std::size_t at_ = 0;
  SnapshotCore::Cursor cursor_{};
  // Objects from the last multiple of its size on; all batches but the last are full.
  std::array<const Block*, 32> batch_{};
};

// Iterator of an ObjectRange<T>.
template <class T>
class ObjectIterator {
 public:
  using iterator_concept = std::forward_iterator_tag;
  using iterator_category = std::input_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = const T;
  using pointer = void;

  ObjectIterator() = default;
  explicit ObjectIterator(BlockCursor cursor) : cursor_(cursor) {}
  const T operator*() const { return T(cursor_.block()); }
  ObjectIterator& operator++() {
    cursor_.Advance();
    return *this;
  }
  ObjectIterator operator++(int) {
    ObjectIterator before = *this;
    cursor_.Advance();
    return before;
  }
  friend bool operator==(const ObjectIterator&, const ObjectIterator&) = default;
  // Explains std::sort, which calls it. Its type is deduced so that it is compiled at the call.
  template <class Object = T>
  auto operator-(const ObjectIterator& /*other*/) const {
    static_assert(kNeverHolds<Object>,
                  "the objects of a range keep their places: std::vector<corev1::Pod> "
                  "sorted(pods.begin(), pods.end()), which lives as long as pods, can be sorted");
    return difference_type(0);
  }

 private:
  BlockCursor cursor_;
};

}  // namespace internal

// A forward range of T. Copies share its content. Thread-compatible. Counterpart: the slice that a
// Go lister returns.
template <ObjectView T>
class ObjectRange {
 public:
  using iterator = internal::ObjectIterator<T>;
  using const_iterator = iterator;
  using value_type = T;

  // Creates an empty range.
  ObjectRange() = default;
  // Creates a range of all objects of a snapshot.
  explicit ObjectRange(std::shared_ptr<const internal::SnapshotCore> pin)
      : pin_(std::move(pin)), size_(pin_->size()) {}
  // Creates a range of some objects of a snapshot.
  ObjectRange(std::shared_ptr<const internal::SnapshotCore> pin,
              std::vector<const internal::Block*> blocks)
      : pin_(std::move(pin)),
        blocks_(std::make_shared<const std::vector<const internal::Block*>>(std::move(blocks))),
        size_(blocks_->size()) {}

  [[nodiscard]] iterator begin() const KINFORMER_LIFETIMEBOUND {
    if (pin_ == nullptr) return {};
    if (blocks_ == nullptr) return iterator(internal::BlockCursor(*pin_));
    return iterator(internal::BlockCursor(*pin_, blocks_->data(), 0));
  }
  [[nodiscard]] iterator end() const KINFORMER_LIFETIMEBOUND {
    if (pin_ == nullptr) return {};
    if (blocks_ == nullptr) return iterator(internal::BlockCursor::End(*pin_));
    return iterator(internal::BlockCursor(*pin_, blocks_->data(), size_));
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  // Returns false if the range may not have all matching objects: there is no such index
  // (kNotFound), the informer has not synced (kNotSynced), or it does not cover them (kOutOfScope).
  // The range then has the known objects, often none.
  [[nodiscard]] bool ok() const { return error_ == nullptr; }
  // REQUIRES: !ok().
  [[nodiscard]] const Error& error() const { return *error_; }
  [[nodiscard]] ObjectRange WithError(Error error) && {
    error_ = std::make_shared<const Error>(std::move(error));
    return std::move(*this);
  }

  // Explains that it does not convert to a std::vector, whose views would outlive this range.
  template <class Item>
  operator std::vector<Item>() const {  // NOLINT(google-explicit-constructor)
    static_assert(
        internal::kNeverHolds<Item>,
        "a list is an ObjectRange, which keeps what its objects are views of: const auto "
        "all = lister.List(); for (corev1::Pod pod : all) ...; to keep one of them longer "
        "take a Ref, all.Retain(pod)");
    return {};
  }

  // Explain that a range is no Result: it always exists, with the known objects, even if not ok().
  template <class Object = T>
  bool operator!() const {
    static_assert(internal::kNeverHolds<Object>,
                  "a list is an ObjectRange and no Result: if (!pods.ok()) return pods.error(); "
                  "and for (corev1::Pod pod : pods) ...");
    return false;
  }
  template <class Object = T>
  ObjectRange& operator*() const {
    static_assert(internal::kNeverHolds<Object>,
                  "a list is an ObjectRange and no Result: the objects are in the range itself, "
                  "for (corev1::Pod pod : pods) ...");
    return *this;
  }

  // Returns a Ref that keeps one object longer than the range.
  [[nodiscard]] Ref<T> Retain(const T& object) const {
    return Ref<T>(internal::ObjectRef::Share(internal::BlockOfView(object)));
  }

 private:
  std::shared_ptr<const internal::SnapshotCore> pin_;
  std::shared_ptr<const std::vector<const internal::Block*>> blocks_;
  std::size_t size_ = 0;
  std::shared_ptr<const Error> error_;
};

}  // namespace kinformer

// Allows the operator- that only explains itself.
template <class T>
inline constexpr bool std::disable_sized_sentinel_for<kinformer::internal::ObjectIterator<T>,
                                                      kinformer::internal::ObjectIterator<T>> =
    true;

#endif  // KINFORMER_CACHE_OBJECT_RANGE_H_
