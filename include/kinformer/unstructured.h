// kinformer/unstructured.h
//
// Unstructured: an object of a kind that the program does not know at compile time: its common
// metadata, and the rest as JSON that is read by path.
//
//   for (Unstructured widget : widgets.Snapshot()) {
//     std::int64_t size = widget.root()["spec"]["size"].AsInt64().value_or(0);
//     std::cout << widget.metadata().name() << ' ' << size << '\n';
//   }

#ifndef KINFORMER_UNSTRUCTURED_H_
#define KINFORMER_UNSTRUCTURED_H_

#include <concepts>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "kinformer/internal/block.h"
#include "kinformer/json.h"
#include "kinformer/json_view.h"
#include "kinformer/object_meta.h"
#include "kinformer/object_name.h"
#include "kinformer/partial_object_metadata.h"

namespace kinformer {

// A view of 8 bytes that lives as long as its object. Thread-compatible; the object is immutable.
// Counterpart: unstructured.Unstructured.
class Unstructured {
 public:
  // What goes to the server: the whole object, kind, apiVersion and metadata included.
  using Mutable = json::Value;

  Unstructured() = default;
  explicit Unstructured(const internal::Block* block) : block_(block) {}

  [[nodiscard]] const metav1::ObjectMeta metadata() const;
  [[nodiscard]] const std::string_view kind() const { return block_->type().kind; }
  [[nodiscard]] const std::string apiVersion() const { return block_->type().apiVersion(); }
  [[nodiscard]] GroupVersionKind GroupVersionKindOf() const;

  // The object's other members: spec, status, data, ... An absent view for an object that is kept
  // as protobuf.
  [[nodiscard]] const json::View root() const;

  // The whole object, to be changed. A copy of a partial object has a member kPartialMember, by
  // which Update refuses it, and so has a copy of one that is malformed inside: what reads find is
  // there, the rest is absent and counted (Validation::kFull lets no such object in).
  [[nodiscard]] json::Value DeepCopy() const;
  // The whole object as JSON.
  [[nodiscard]] std::string ToJson() const;
  // The same as YAML, as kubectl prints it.
  [[nodiscard]] std::string ToYaml() const { return internal::ContentToYaml(block_); }

  [[nodiscard]] const internal::Block* block() const { return block_; }
  // "Widget default/blue".
  friend std::ostream& operator<<(std::ostream& out, const Unstructured& object) {
    return internal::PrintName(out, object.block_);
  }
  // The same kind and the same content. In JSON the order of members does not count and 1 is 1.0.
  friend bool operator==(const Unstructured& a, const Unstructured& b) {
    return internal::SameContent(a.block_, b.block_);
  }

 private:
  const internal::Block* block_ = nullptr;
};

}  // namespace kinformer

template <std::derived_from<kinformer::Unstructured> T>
struct std::hash<T> {
  std::size_t operator()(const T& object) const {
    return kinformer::internal::HashContent(object.block());
  }
};

#endif  // KINFORMER_UNSTRUCTURED_H_
