// kinformer/object/unstructured.h
//
// Unstructured: an object of a kind that the program does not know at compile time: typed metadata,
// and the rest as JSON, read by path.
//
//   for (Unstructured widget : widgets.Snapshot()) {
//     std::int64_t size = widget.root()["spec"]["size"].AsInt64().value_or(0);
//     std::cout << widget.metadata().name() << ' ' << size << '\n';
//   }

#ifndef KINFORMER_OBJECT_UNSTRUCTURED_H_
#define KINFORMER_OBJECT_UNSTRUCTURED_H_

#include <concepts>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "kinformer/internal/block.h"
#include "kinformer/json/json.h"
#include "kinformer/json/json_view.h"
#include "kinformer/object/object_meta.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/partial_object_metadata.h"

namespace kinformer {

// View of an immutable object, of 8 bytes; valid as long as its object. Thread-compatible.
// Counterpart: unstructured.Unstructured.
class Unstructured {
 public:
  // The form sent to the server: the whole object, with kind, apiVersion and metadata.
  using Mutable = json::Value;

  Unstructured() = default;
  explicit Unstructured(const internal::Block* block) : block_(block) {}

  [[nodiscard]] const metav1::ObjectMeta metadata() const;
  [[nodiscard]] const std::string_view kind() const { return block_->type().kind; }
  [[nodiscard]] const std::string apiVersion() const { return block_->type().apiVersion(); }
  [[nodiscard]] GroupVersionKind GroupVersionKindOf() const;

  // Returns the object's other members: spec, status, data, ... Absent for objects that are stored
  // as protobuf.
  [[nodiscard]] const json::View root() const;

  // Returns the whole object, to be changed. Update refuses a copy of a partial object, which has a
  // member kPartialMember, and of an object that is malformed inside: it has what reads find, the
  // rest is absent and counted (Validation::kFull rejects such objects on arrival).
  [[nodiscard]] json::Value DeepCopy() const;
  // Returns the whole object as JSON.
  [[nodiscard]] std::string ToJson() const;
  // Returns the whole object as YAML, as kubectl prints it.
  [[nodiscard]] std::string ToYaml() const { return internal::ContentToYaml(block_); }

  [[nodiscard]] const internal::Block* block() const { return block_; }
  // Prints "Widget default/blue".
  friend std::ostream& operator<<(std::ostream& out, const Unstructured& object) {
    return internal::PrintName(out, object.block_);
  }
  // Compares kind and content. In JSON the order of members does not count, and 1 equals 1.0.
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

#endif  // KINFORMER_OBJECT_UNSTRUCTURED_H_
