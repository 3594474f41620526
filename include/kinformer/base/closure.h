// kinformer/base/closure.h
//
// Closure: a function that executors run once.

#ifndef KINFORMER_BASE_CLOSURE_H_
#define KINFORMER_BASE_CLOSURE_H_

#include <memory>
#include <type_traits>
#include <utility>

#include "kinformer/internal/pimpl.h"

namespace kinformer {

// A move-only `void()` function object, so that a task may own its data (a unique_ptr, a Ref).
// Empty by default. Thread-compatible.
class Closure {
 public:
  Closure() = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Closure> &&
             std::is_invocable_v<std::remove_cvref_t<F>&>)
  Closure(F&& function)  // NOLINT(google-explicit-constructor)
      : holder_(std::make_unique<Holder<std::remove_cvref_t<F>>>(std::forward<F>(function))) {}

  explicit operator bool() const { return holder_ != nullptr; }

  // REQUIRES: not empty.
  void operator()() { holder_->Call(); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void Call() = 0;
  };
  template <class F>
  struct Holder final : Base {
    explicit Holder(F f) : function(std::move(f)) {}
    void Call() override { function(); }
    F function;
  };
  internal::Pimpl<Base> holder_;
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_CLOSURE_H_
