// kinformer/internal/pimpl.h
//
// Pimpl: the private part of a class, whose type its header only declares. A std::unique_ptr for
// that takes g++ 6 ms and 1.3 MB for each type; some twenty would be in most files of a program.

#ifndef KINFORMER_INTERNAL_PIMPL_H_
#define KINFORMER_INTERNAL_PIMPL_H_

#include <utility>

#include "kinformer/internal/standard_library.h"

namespace kinformer::internal {

// Owns a T, or nothing. T must be complete where a Pimpl is destroyed or assigned.
// Thread-compatible.
template <class T>
class Pimpl {
 public:
  Pimpl() noexcept = default;
  // Takes the object of a std::unique_ptr.
  template <class Owner>
    requires requires(Owner& owner) { owner.release(); }
  Pimpl(Owner owner) noexcept : part_(owner.release()) {}  // NOLINT(google-explicit-constructor)
  Pimpl(Pimpl&& other) noexcept : part_(std::exchange(other.part_, nullptr)) {}
  Pimpl& operator=(Pimpl&& other) noexcept {
    Delete(std::exchange(part_, std::exchange(other.part_, nullptr)));
    return *this;
  }
  Pimpl(const Pimpl&) = delete;
  Pimpl& operator=(const Pimpl&) = delete;
  ~Pimpl() { Delete(part_); }

  [[nodiscard]] explicit operator bool() const noexcept { return part_ != nullptr; }
  [[nodiscard]] T* get() const noexcept { return part_; }
  T& operator*() const noexcept { return *part_; }
  T* operator->() const noexcept { return part_; }
  friend bool operator==(const Pimpl& a, decltype(nullptr)) noexcept { return a.part_ == nullptr; }

 private:
  static void Delete(T* part) noexcept {
    static_assert(
        requires { sizeof(T); }, "the class whose part this is needs a destructor in its source");
    delete part;
  }

  T* part_ = nullptr;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_PIMPL_H_
