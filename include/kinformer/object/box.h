// kinformer/object/box.h
//
// Box<T>: an optional T on the heap, copied with its owner. It replaces std::optional<T> where a
// type contains itself: mutable structs of recursive API types (JSONSchemaProps) use it where Go
// has a pointer.

#ifndef KINFORMER_OBJECT_BOX_H_
#define KINFORMER_OBJECT_BOX_H_

#include <memory>
#include <utility>

namespace kinformer {

// An optional value. Empty by default. Copying copies the T. Thread-compatible. Same interface as
// std::optional.
template <class T>
class Box {
 public:
  Box() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a T may be assigned, as to std::optional
  Box(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Box(const Box& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& other) {
    Box copy(other);
    value_ = std::move(copy.value_);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;

  explicit operator bool() const { return value_ != nullptr; }
  [[nodiscard]] bool has_value() const { return value_ != nullptr; }

  // REQUIRES: has_value().
  [[nodiscard]] T& operator*() { return *value_; }
  [[nodiscard]] const T& operator*() const { return *value_; }
  [[nodiscard]] T* operator->() { return value_.get(); }
  [[nodiscard]] const T* operator->() const { return value_.get(); }

  // Replaces the value by a new T.
  T& emplace() {
    value_ = std::make_unique<T>();
    return *value_;
  }
  void reset() { value_.reset(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_BOX_H_
