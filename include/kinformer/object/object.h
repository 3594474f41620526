// kinformer/object/object.h
//
// Object: common interface of objects of all kinds. A handler for Object can be registered with any
// informer.

#ifndef KINFORMER_OBJECT_OBJECT_H_
#define KINFORMER_OBJECT_OBJECT_H_

#include <concepts>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "kinformer/internal/block.h"
#include "kinformer/object/object_meta.h"

namespace kinformer {

// View of an object of any kind, 8 bytes; valid as long as its object. Counterpart: metav1.Object
// with runtime.Object.
class Object {
 public:
  Object() = default;
  explicit Object(const internal::Block* block) : block_(block) {}

  [[nodiscard]] const metav1::ObjectMeta metadata() const;
  [[nodiscard]] const std::string_view kind() const { return block_->type().kind; }
  [[nodiscard]] const std::string apiVersion() const { return block_->type().apiVersion(); }
  // Returns the plural name of its resource.
  [[nodiscard]] const std::string_view resource() const { return block_->type().resource; }
  // Returns the whole object as JSON.
  [[nodiscard]] std::string ToJson() const;
  // Returns the whole object as YAML, as kubectl prints it.
  [[nodiscard]] std::string ToYaml() const { return internal::ContentToYaml(block_); }

  [[nodiscard]] const internal::Block* block() const { return block_; }
  // Prints "Pod default/web-0".
  friend std::ostream& operator<<(std::ostream& out, const Object& object) {
    return internal::PrintName(out, object.block_);
  }
  // Compares kind and content.
  friend bool operator==(const Object& a, const Object& b) {
    return internal::SameContent(a.block_, b.block_);
  }

 private:
  const internal::Block* block_ = nullptr;
};

}  // namespace kinformer

template <std::derived_from<kinformer::Object> T>
struct std::hash<T> {
  std::size_t operator()(const T& object) const {
    return kinformer::internal::HashContent(object.block());
  }
};

#endif  // KINFORMER_OBJECT_OBJECT_H_
