// kinformer/object/ref.h
//
// Ref<T>: shared ownership of one immutable API object. Returned by listers and Retain(); may be
// kept for any time.
//
//   Ref<corev1::Pod> pod = lister.Namespace("default").Get("web-0").OrExit();
//   std::cout << pod->spec().nodeName();
//
// Views and strings from a Ref live as long as some Ref (or Snapshot) keeps the object. That is why
// `->` and `*` do not exist on a temporary Ref: keep the Ref in a variable first. clang warns if a
// function returns a view of a local Ref. A Ref that is not temporary converts to a view: for
// (corev1::Pod pod : refs).
//
// AnyRef is a Ref of an object of any kind, for code that treats all kinds alike: a ListerWatcher
// (lister_watcher.h), a transform (transform.h).

#ifndef KINFORMER_OBJECT_REF_H_
#define KINFORMER_OBJECT_REF_H_

#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>

#include "kinformer/internal/attributes.h"
#include "kinformer/internal/block.h"

namespace kinformer {

class Object;  // object.h

// A counted reference of 8 bytes. Copying it is one atomic operation. Null by default.
// Thread-compatible; the object is immutable and may be read by any number of threads. Counterpart:
// a *corev1.Pod from a lister.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit(!std::same_as<T, Object>) Ref(internal::ObjectRef object) : object_(std::move(object)) {}
  // Makes an AnyRef of the same object.
  template <class U>
    requires(std::same_as<T, Object> && !std::same_as<U, Object>)
  Ref(Ref<U> other)  // NOLINT(google-explicit-constructor): every object is an Object
      : object_(std::move(other).object()) {}

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

  // Returns the object of an AnyRef as a U; null if it is of another kind. Unstructured and Object
  // are views of all kinds.
  template <class U>
    requires std::same_as<T, Object>
  [[nodiscard]] Ref<U> As() const {
    if constexpr (requires { U::kind_info(); }) {
      if (object_ && &object_->type() != &U::kind_info()) return Ref<U>();
    }
    return Ref<U>(object_);
  }

  // Compares identity, not content.
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

  [[nodiscard]] const internal::ObjectRef& object() const& { return object_; }
  [[nodiscard]] internal::ObjectRef object() && { return std::move(object_); }

 private:
  internal::ObjectRef object_;
};

// A Ref of an object of any kind. To read it, object.h is needed; every Ref converts to it, and As
// converts back. Counterpart: a runtime.Object.
using AnyRef = Ref<Object>;

}  // namespace kinformer

// Hashes identity, not content, like the equality.
template <class T>
struct std::hash<kinformer::Ref<T>> {
  std::size_t operator()(const kinformer::Ref<T>& ref) const {
    return std::hash<const void*>()(ref.object().get());
  }
};

#endif  // KINFORMER_OBJECT_REF_H_
