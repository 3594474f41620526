#include "kinformer/object/box.h"

namespace kinformer::internal {

BoxBase::BoxBase(const BoxBase& other)
    : value_(other.value_ == nullptr ? nullptr : other.ops_->copy(other.value_)),
      ops_(other.ops_) {}

// The value of a Box that is assigned to itself is copied before it is destroyed.
// NOLINTNEXTLINE(bugprone-unhandled-self-assignment)
BoxBase& BoxBase::operator=(const BoxBase& other) {
  if (other.value_ == nullptr) {
    reset();
  } else {
    Replace(other.ops_->copy(other.value_), *other.ops_);
  }
  return *this;
}

BoxBase& BoxBase::operator=(BoxBase&& other) noexcept {
  if (void* const value = std::exchange(other.value_, nullptr)) {
    Replace(value, *other.ops_);
  } else {
    reset();
  }
  return *this;
}

void BoxBase::reset() noexcept {
  if (void* const before = std::exchange(value_, nullptr)) ops_->destroy(before);
}

void BoxBase::Replace(void* value, const BoxOps& ops) noexcept {
  // The old value may be what owned the new one.
  void* const before = std::exchange(value_, value);
  const BoxOps* const before_ops = std::exchange(ops_, &ops);
  if (before != nullptr) before_ops->destroy(before);
}

void BoxBase::Destroy() noexcept { ops_->destroy(value_); }

void BoxBase::FailEmpty() { throw std::bad_optional_access(); }

}  // namespace kinformer::internal
