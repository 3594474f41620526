// kinformer/object/box.h
//
// Box<T>: an optional T on the heap, copied with its owner. Generated structs have one where Go has
// a pointer to a struct; a struct of yours may use it too, also to contain itself.
//
//   corev1::Container::Mutable web;
//   web.securityContext = {.runAsUser = 1000};
//   web.livenessProbe.emplace().periodSeconds = 5;
//   if (web.lifecycle) web.lifecycle->preStop = std::nullopt;
//
// Why not a std::optional: structs of the API contain dozens of others, which would make them as
// large as all of these together, and each file that copies or destroys one would compile how all
// of them are copied and destroyed. A Box is two pointers, to the value and to its functions; those
// of generated structs are compiled once, in the library.

#ifndef KINFORMER_OBJECT_BOX_H_
#define KINFORMER_OBJECT_BOX_H_

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

namespace kinformer {

template <class T>
class Box;

namespace internal {

// Functions that make, copy, move and destroy a value on the heap without knowing its type.
struct BoxOps {
  void* (*make)() = nullptr;
  void* (*copy)(const void* value) = nullptr;
  void* (*move)(void* value) = nullptr;
  void (*destroy)(void* value) = nullptr;
};

// Untyped half of Box, compiled once.
class BoxBase {
 public:
  [[nodiscard]] explicit operator bool() const noexcept { return value_ != nullptr; }
  [[nodiscard]] bool has_value() const noexcept { return value_ != nullptr; }
  void reset() noexcept;

 protected:
  constexpr BoxBase() noexcept = default;
  BoxBase(void* value, const BoxOps& ops) noexcept : value_(value), ops_(&ops) {}
  BoxBase(const BoxBase& other);
  BoxBase(BoxBase&& other) noexcept
      : value_(std::exchange(other.value_, nullptr)), ops_(other.ops_) {}
  BoxBase& operator=(const BoxBase& other);
  BoxBase& operator=(BoxBase&& other) noexcept;
  ~BoxBase() {
    if (value_ != nullptr) Destroy();
  }

  // Takes `value`, and destroys the one before.
  void Replace(void* value, const BoxOps& ops) noexcept;
  void Destroy() noexcept;
  [[noreturn]] static void FailEmpty();  // throws std::bad_optional_access

  void* value_ = nullptr;
  const BoxOps* ops_ = nullptr;
};

// Generated structs have such functions in the library, with their tables (mutable_codec.h).
struct MutableTable;
const BoxOps& OpsOfStruct(const MutableTable& table);

// Matches generated structs. REQUIRES: T is complete, or the answer would be a lasting no.
template <class T>
concept IsGenerated = requires {
  { T::mutable_table() } -> std::same_as<const MutableTable&>;
};

template <class T>
struct OpsOfOwn {
  static_assert(std::is_copy_constructible_v<T>,
                "a Box is copied with its value: T must be copyable");
  static void* Copy(const void* value) { return new T(*static_cast<const T*>(value)); }
  static void Destroy(void* value) { delete static_cast<T*>(value); }
  static constexpr BoxOps kOps{nullptr, &Copy, nullptr, &Destroy};
};

template <class T>
const BoxOps& OpsOf() {
  static_assert(requires { sizeof(T); });
  if constexpr (IsGenerated<T>) {
    return OpsOfStruct(T::mutable_table());
  } else {
    return OpsOfOwn<T>::kOps;
  }
}

// Makes a T of the arguments.
template <class T, class... Args>
[[nodiscard]] void* NewInBox(Args&&... args) {
  static_assert(requires { sizeof(T); });
  if constexpr (IsGenerated<T> && sizeof...(Args) == 0) {
    return OpsOf<T>().make();
  } else if constexpr (IsGenerated<T> && (std::is_same_v<Args&&, T&&> && ...)) {
    return OpsOf<T>().move((&args, ...));
  } else if constexpr (IsGenerated<T> && (std::is_same_v<std::remove_cvref_t<Args>, T> && ...)) {
    return OpsOf<T>().copy((&args, ...));
  } else {
    return new T(std::forward<Args>(args)...);
  }
}

// Matches what a Box<T> may be made of. T comes first: the rest asks how T is constructed.
template <class U, class T>
concept FillsBox =
    std::is_same_v<std::remove_cvref_t<U>, T> ||
    (!std::is_same_v<std::remove_cvref_t<U>, Box<T>> &&
     !std::is_same_v<std::remove_cvref_t<U>, std::optional<T>> && std::is_convertible_v<U, T>);

}  // namespace internal

// An optional value with the interface of std::optional, and its guarantees, except:
//   - Moving from a Box moves the pointer, never throws, and leaves it empty.
//   - Assigning and emplace put a new T in the place of the old one, which is deleted afterwards:
//     references to the old one end, and the new one may be made of a part of the old one. If
//     making it throws, the Box is unchanged.
//   - const goes through: of a const Box the T is const.
// Empty by default; converts from and to std::optional<T>. Copying copies the T, which must be
// copyable. T may be incomplete where a Box is a member, and where it is copied or destroyed; it
// must be complete where it gets a value. Thread-compatible.
template <class T>
class Box : public internal::BoxBase {
 public:
  using value_type = T;

  constexpr Box() noexcept = default;
  // NOLINTBEGIN(google-explicit-constructor): made of values as a std::optional is
  constexpr Box(std::nullopt_t /*none*/) noexcept {}
  template <internal::FillsBox<T> U = T>
  Box(U&& value) : BoxBase(internal::NewInBox<T>(std::forward<U>(value)), internal::OpsOf<T>()) {}
  template <std::same_as<T> U>
  Box(const std::optional<U>& other) {
    if (other) emplace(*other);
  }
  template <std::same_as<T> U>
  Box(std::optional<U>&& other) {
    if (other) emplace(*std::move(other));
  }
  // A template, so that a std::optional<T> is made only where one is asked for.
  template <std::same_as<T> U>
  [[nodiscard]] operator std::optional<U>() const {
    return has_value() ? std::optional<U>(**this) : std::nullopt;
  }
  // NOLINTEND(google-explicit-constructor)
  template <class... Args>
  explicit Box(std::in_place_t /*here*/, Args&&... args)
      : BoxBase(internal::NewInBox<T>(std::forward<Args>(args)...), internal::OpsOf<T>()) {}

  Box& operator=(std::nullopt_t /*none*/) noexcept {
    reset();
    return *this;
  }
  // Allows `box = {.runAsUser = 1}`.
  template <internal::FillsBox<T> U = T>
  Box& operator=(U&& value) {
    emplace(std::forward<U>(value));
    return *this;
  }

  // REQUIRES: has_value().
  [[nodiscard]] T& operator*() & noexcept { return *static_cast<T*>(value_); }
  [[nodiscard]] const T& operator*() const& noexcept { return *static_cast<const T*>(value_); }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(*static_cast<T*>(value_)); }
  [[nodiscard]] T* operator->() noexcept { return static_cast<T*>(value_); }
  [[nodiscard]] const T* operator->() const noexcept { return static_cast<const T*>(value_); }

  // Throw std::bad_optional_access if there is no value.
  [[nodiscard]] T& value() & {
    if (!has_value()) FailEmpty();
    return **this;
  }
  [[nodiscard]] const T& value() const& {
    if (!has_value()) FailEmpty();
    return **this;
  }
  [[nodiscard]] T&& value() && { return std::move(value()); }
  template <class U>
  [[nodiscard]] T value_or(U&& fallback) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(fallback));
  }
  template <class U>
  [[nodiscard]] T value_or(U&& fallback) && {
    return has_value() ? std::move(**this) : static_cast<T>(std::forward<U>(fallback));
  }

  template <class... Args>
  T& emplace(Args&&... args) {
    Replace(internal::NewInBox<T>(std::forward<Args>(args)...), internal::OpsOf<T>());
    return **this;
  }
  void swap(Box& other) noexcept {
    std::swap(value_, other.value_);
    std::swap(ops_, other.ops_);
  }
};

// Compare the values, as those of std::optional; a Box without a value equals only another such.
template <class T>
[[nodiscard]] bool operator==(const Box<T>& a, const Box<T>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || *a == *b);
}
template <class T>
[[nodiscard]] bool operator==(const Box<T>& a, const std::type_identity_t<T>& b) {
  return a.has_value() && *a == b;
}
template <class T>
[[nodiscard]] bool operator==(const Box<T>& a, std::nullopt_t /*none*/) noexcept {
  return !a.has_value();
}

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_BOX_H_
