// kinformer/ref.h
//
// Ref<T>: shared ownership of one immutable API object. What listers and Retain() give, and what
// may be kept for as long as one likes.
//
//   Ref<corev1::Pod> pod = lister.Namespace("default").Get("web-0").OrExit();
//   std::cout << pod->spec().nodeName();
//
// Views and strings that a Ref gives out live as long as some Ref (or Snapshot) keeps the object.
// That is why `->` and `*` do not exist on a temporary Ref: keep the Ref in a variable first. clang
// warns where a view leaves the function whose Ref it is of. Where a view is asked for, a Ref that
// stays will do: for (corev1::Pod pod : refs).

#ifndef KINFORMER_REF_H_
#define KINFORMER_REF_H_

#include <cstddef>
#include <functional>
#include <utility>

#include "kinformer/internal/attributes.h"
#include "kinformer/internal/block.h"

namespace kinformer {

// 8 bytes. Copying takes a count (one atomic operation). Null by default. Thread-compatible; the
// object itself is immutable and may be read by any number of threads. Counterpart: a *corev1.Pod
// out of a lister.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(internal::ObjectRef object) : object_(std::move(object)) {}

  explicit operator bool() const { return static_cast<bool>(object_); }

  // REQUIRES: not null.
  [[nodiscard]] const T operator*() const& KINFORMER_LIFETIMEBOUND { return T(object_.get()); }
  T operator*() const&& = delete;  // keep the Ref: const auto pod = ...; then *pod
  class Arrow {
   public:
    explicit Arrow(T view) : view_(view) {}
    const T* operator->() const KINFORMER_LIFETIMEBOUND { return &view_; }

   private:
    T view_;
  };
  [[nodiscard]] Arrow operator->() const& KINFORMER_LIFETIMEBOUND {
    return Arrow(T(object_.get()));
  }
  Arrow operator->() const&& = delete;  // keep the Ref: const auto pod = ...; then pod->spec()
  // NOLINTNEXTLINE(google-explicit-constructor): as `*`
  [[nodiscard]] operator T() const& KINFORMER_LIFETIMEBOUND { return T(object_.get()); }
  operator T() const&& = delete;  // keep the Ref: const auto pod = ...; then *pod

  // The same object; not the same content.
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

  [[nodiscard]] const internal::ObjectRef& object() const { return object_; }

 private:
  internal::ObjectRef object_;
};

}  // namespace kinformer

// Of the object, not of its content, as its equality.
template <class T>
struct std::hash<kinformer::Ref<T>> {
  std::size_t operator()(const kinformer::Ref<T>& ref) const {
    return std::hash<const void*>()(ref.object().get());
  }
};

#endif  // KINFORMER_REF_H_
