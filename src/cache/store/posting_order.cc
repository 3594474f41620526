#include "cache/store/posting_order.h"

#include <new>

#include "cache/store/posting.h"

namespace kinformer::internal::cache {

// The links follow the node in memory, the lowest first.
struct PostingOrder::Node {
  const Posting* posting;
  std::int64_t height;

  [[nodiscard]] std::atomic<Node*>* links() {
    return reinterpret_cast<std::atomic<Node*>*>(this + 1);
  }
  static std::size_t BytesFor(int height) {
    return sizeof(Node) + static_cast<std::size_t>(height) * sizeof(std::atomic<Node*>);
  }
  static Node* Make(const Posting& posting, int height) {
    void* memory = ::operator new(BytesFor(height));
    Node* node = new (memory) Node{&posting, height};
    for (int i = 0; i < height; ++i) new (node->links() + i) std::atomic<Node*>(nullptr);
    return node;
  }
  static void Free(void*, void* node) { ::operator delete(node); }
};

PostingOrder::~PostingOrder() {
  for (Node* node = head_[0].load(std::memory_order_relaxed); node != nullptr;) {
    Node* const next = node->links()->load(std::memory_order_relaxed);
    Node::Free(nullptr, node);
    node = next;
  }
}

// Returns the first node for which `before` is false. Starts at the top level, so `path` ends at
// the links that lead past all earlier nodes.
template <class Before>
const PostingOrder::Node* PostingOrder::Search(const Before& before, Path* path) const {
  std::atomic<Node*>* links = head_.data();
  Node* next = nullptr;
  for (int height = kMaxHeight - 1; height >= 0; --height) {
    for (;;) {
      next = links[height].load(std::memory_order_acquire);
      if (next == nullptr || !before(*next->posting)) break;
      links = next->links();
    }
    if (path != nullptr) (*path)[static_cast<std::size_t>(height)] = links;
  }
  return next;
}

int PostingOrder::RandomHeight() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  int height = 1;
  // Each level has on average a quarter of the nodes of the level below.
  for (std::uint64_t bits = random_; height < kMaxHeight && (bits & 3) == 0; bits >>= 2) ++height;
  return height;
}

std::size_t PostingOrder::Insert(const Posting& posting) {
  Path path{};
  Search([&](const Posting& p) { return p.value < posting.value; }, &path);
  const int height = RandomHeight();
  Node* const node = Node::Make(posting, height);
  for (int i = 0; i < height; ++i) {
    node->links()[i].store(path[static_cast<std::size_t>(i)][i].load(std::memory_order_relaxed),
                           std::memory_order_relaxed);
  }
  for (int i = 0; i < height; ++i) {
    path[static_cast<std::size_t>(i)][i].store(node, std::memory_order_release);
  }
  return Node::BytesFor(height);
}

std::size_t PostingOrder::Erase(const Posting& posting) {
  Path path{};
  Search([&](const Posting& p) { return p.value < posting.value; }, &path);
  Node* const node = path[0]->load(std::memory_order_relaxed);
  const auto height = static_cast<int>(node->height);
  // The node keeps its own links, so a reader that stands on it can go on.
  for (int i = height - 1; i >= 0; --i) {
    path[static_cast<std::size_t>(i)][i].store(node->links()[i].load(std::memory_order_relaxed),
                                               std::memory_order_release);
  }
  retired_.Retire(node, &Node::Free);
  return Node::BytesFor(height);
}

const PostingOrder::Node* PostingOrder::AtOrAbove(std::string_view value) const {
  return Search([&](const Posting& p) { return p.value < value; }, nullptr);
}

const PostingOrder::Node* PostingOrder::Above(std::string_view value) const {
  return Search([&](const Posting& p) { return p.value <= value; }, nullptr);
}

const PostingOrder::Node* PostingOrder::Below(std::optional<std::string_view> value) const {
  Path path{};
  Search([&](const Posting& p) { return !value || p.value < *value; }, &path);
  if (path[0] == head_.data()) return nullptr;
  return reinterpret_cast<const Node*>(path[0]) - 1;
}

const PostingOrder::Node* PostingOrder::Next(const Node& node) {
  return const_cast<Node&>(node).links()->load(std::memory_order_acquire);
}

const Posting& PostingOrder::PostingOf(const Node& node) { return *node.posting; }

}  // namespace kinformer::internal::cache
