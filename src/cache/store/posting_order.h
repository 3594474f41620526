// cache/store/posting_order.h
//
// PostingOrder: the values of an ordered index in byte order: a skip list.

#ifndef KINFORMER_CACHE_STORE_POSTING_ORDER_H_
#define KINFORMER_CACHE_STORE_POSTING_ORDER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cache/store/retire_list.h"

namespace kinformer::internal::cache {

struct Posting;

// One writer; readers at any time under a ReadGuard. A walk visits, in order, every posting that is
// present from its start to its end. Those added or removed meanwhile may be missed.
class PostingOrder {
 public:
  static constexpr int kMaxHeight = 12;
  struct Node;

  explicit PostingOrder(RetireList& retired) : retired_(retired) {}
  ~PostingOrder();
  PostingOrder(const PostingOrder&) = delete;
  PostingOrder& operator=(const PostingOrder&) = delete;

  // ---- writer; returns the bytes allocated or freed
  // REQUIRES: there is no posting with this value.
  std::size_t Insert(const Posting& posting);
  // REQUIRES: the posting was inserted.
  std::size_t Erase(const Posting& posting);

  // ---- readers; return null if there is none
  // Returns the first posting whose value is not below, or is above, `value`.
  [[nodiscard]] const Node* AtOrAbove(std::string_view value) const;
  [[nodiscard]] const Node* Above(std::string_view value) const;
  // Returns the last posting whose value is below; without a value: the last one.
  [[nodiscard]] const Node* Below(std::optional<std::string_view> value) const;
  static const Node* Next(const Node& node);
  static const Posting& PostingOf(const Node& node);

 private:
  using Links = std::array<std::atomic<Node*>, kMaxHeight>;
  // Links at which a search stopped at each height: those of a node, or head_.
  using Path = std::array<std::atomic<Node*>*, kMaxHeight>;

  template <class Before>
  const Node* Search(const Before& before, Path* path) const;
  int RandomHeight();

  RetireList& retired_;
  mutable Links head_{};
  std::uint64_t random_ = 0x9e3779b97f4a7c15;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_POSTING_ORDER_H_
