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
// of them are copied and destroyed. A Box is a pointer, and generated structs in it are copied and
// destroyed by functions of the library.

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

// Make, copy, move and delete a generated struct; defined with mutable_codec.h. Null for null.
struct MutableTable;
using TableFunction = const MutableTable& (*)();
[[nodiscard]] void* NewStruct(TableFunction table);
[[nodiscard]] void* CopyStruct(TableFunction table, const void* value);
[[nodiscard]] void* MoveStruct(TableFunction table, void* value);
void DeleteStruct(TableFunction table, void* value) noexcept;

// Matches generated structs. REQUIRES: T is complete, or the answer would be a lasting no.
template <class T>
concept IsGenerated = requires {
  { T::mutable_table() } -> std::same_as<const MutableTable&>;
};

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
// Empty by default; converts from and to std::optional<T>. Copying copies the T. T may be
// incomplete where the Box is a member; it must be complete where a Box is copied or destroyed.
// Thread-compatible.
template <class T>
class Box {
 public:
  using value_type = T;

  constexpr Box() noexcept = default;
  // NOLINTBEGIN(google-explicit-constructor): made of values as a std::optional is
  constexpr Box(std::nullopt_t /*none*/) noexcept {}
  template <internal::FillsBox<T> U = T>
  Box(U&& value) : value_(New(std::forward<U>(value))) {}
  template <std::same_as<T> U>
  Box(const std::optional<U>& other) : value_(other ? New(*other) : nullptr) {}
  template <std::same_as<T> U>
  Box(std::optional<U>&& other) : value_(other ? New(std::move(*other)) : nullptr) {}
  // A template, so that a std::optional<T> is made only where one is asked for.
  template <std::same_as<T> U>
  [[nodiscard]] operator std::optional<U>() const {
    return value_ == nullptr ? std::nullopt : std::optional<U>(*value_);
  }
  // NOLINTEND(google-explicit-constructor)
  template <class... Args>
  explicit Box(std::in_place_t /*here*/, Args&&... args)
      : value_(New(std::forward<Args>(args)...)) {}

  Box(const Box& other) : value_(Copy(other.value_)) {}
  Box(Box&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Box& operator=(const Box& other) {
    Replace(Copy(other.value_));
    return *this;
  }
  Box& operator=(Box&& other) noexcept {
    Replace(std::exchange(other.value_, nullptr));
    return *this;
  }
  Box& operator=(std::nullopt_t /*none*/) noexcept {
    reset();
    return *this;
  }
  // Allows `box = {.runAsUser = 1}`.
  template <internal::FillsBox<T> U = T>
  Box& operator=(U&& value) {
    Replace(New(std::forward<U>(value)));
    return *this;
  }
  ~Box() { Delete(value_); }

  [[nodiscard]] explicit operator bool() const noexcept { return value_ != nullptr; }
  [[nodiscard]] bool has_value() const noexcept { return value_ != nullptr; }

  // REQUIRES: has_value().
  [[nodiscard]] T& operator*() & noexcept { return *value_; }
  [[nodiscard]] const T& operator*() const& noexcept { return *value_; }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(*value_); }
  [[nodiscard]] T* operator->() noexcept { return value_; }
  [[nodiscard]] const T* operator->() const noexcept { return value_; }

  // Throw std::bad_optional_access if there is no value.
  [[nodiscard]] T& value() & { return *Checked(); }
  [[nodiscard]] const T& value() const& { return *Checked(); }
  [[nodiscard]] T&& value() && { return std::move(*Checked()); }
  template <class U>
  [[nodiscard]] T value_or(U&& fallback) const& {
    return value_ != nullptr ? *value_ : static_cast<T>(std::forward<U>(fallback));
  }
  template <class U>
  [[nodiscard]] T value_or(U&& fallback) && {
    return value_ != nullptr ? std::move(*value_) : static_cast<T>(std::forward<U>(fallback));
  }

  template <class... Args>
  T& emplace(Args&&... args) {
    Replace(New(std::forward<Args>(args)...));
    return *value_;
  }
  void reset() noexcept { Replace(nullptr); }
  void swap(Box& other) noexcept { std::swap(value_, other.value_); }

 private:
  template <class... Args>
  [[nodiscard]] static T* New(Args&&... args) {
    if constexpr (!internal::IsGenerated<T>) {
      return new T(std::forward<Args>(args)...);
    } else if constexpr (sizeof...(Args) == 0) {
      return static_cast<T*>(internal::NewStruct(&T::mutable_table));
    } else if constexpr ((std::is_same_v<Args&&, T&&> && ...)) {
      return static_cast<T*>(internal::MoveStruct(&T::mutable_table, (&args, ...)));
    } else if constexpr ((std::is_same_v<std::remove_cvref_t<Args>, T> && ...)) {
      return static_cast<T*>(internal::CopyStruct(&T::mutable_table, (&args, ...)));
    } else {
      return new T(std::forward<Args>(args)...);
    }
  }
  [[nodiscard]] static T* Copy(const T* value) {
    static_assert(sizeof(T) > 0);
    if constexpr (internal::IsGenerated<T>) {
      return static_cast<T*>(internal::CopyStruct(&T::mutable_table, value));
    } else {
      return value == nullptr ? nullptr : new T(*value);
    }
  }
  static void Delete(T* value) noexcept {
    static_assert(sizeof(T) > 0);
    if constexpr (internal::IsGenerated<T>) {
      internal::DeleteStruct(&T::mutable_table, value);
    } else {
      delete value;
    }
  }
  void Replace(T* value) noexcept { Delete(std::exchange(value_, value)); }
  [[nodiscard]] T* Checked() const {
    if (value_ == nullptr) throw std::bad_optional_access();
    return value_;
  }

  T* value_ = nullptr;
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
