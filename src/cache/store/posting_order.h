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

// One writer; readers at any time under a ReadGuard. Who walks it meets, in order, all postings
// that are in it from the begin of the walk to its end; of those that come or go meanwhile, some.
class PostingOrder {
 public:
  static constexpr int kMaxHeight = 12;
  struct Node;

  explicit PostingOrder(RetireList& retired) : retired_(retired) {}
  ~PostingOrder();
  PostingOrder(const PostingOrder&) = delete;
  PostingOrder& operator=(const PostingOrder&) = delete;

  // ---- writer; the bytes that it took, or gave back
  // REQUIRES: none of the value is in it.
  std::size_t Insert(const Posting& posting);
  // REQUIRES: it is in it.
  std::size_t Erase(const Posting& posting);

  // ---- readers; null: there is none
  // The first whose value is not below `value`, or is above it.
  [[nodiscard]] const Node* AtOrAbove(std::string_view value) const;
  [[nodiscard]] const Node* Above(std::string_view value) const;
  // The last whose value is below; without a value: the last.
  [[nodiscard]] const Node* Below(std::optional<std::string_view> value) const;
  static const Node* Next(const Node& node);
  static const Posting& PostingOf(const Node& node);

 private:
  using Links = std::array<std::atomic<Node*>, kMaxHeight>;
  // Where a walk stands at each height: links of a node, or head_.
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
