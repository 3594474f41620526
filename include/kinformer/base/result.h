// kinformer/base/result.h
//
// Result<T>: a T, or the Error that explains why there is none.
//
//   Result<Config> config = Config::FromKubeconfigFile(path);
//   if (!config) return config.error();           // an Error converts to any Result
//   Use(*config);
//
//   // In main: prints the error and exits with status 1.
//   Client client = Client::FromEnvironment().OrExit();
//
// Ignoring a Result is a warning. Reading the value of a failed Result ends the process with the
// error's text, and so does reading the error of one that succeeded: both are bugs in the caller,
// not conditions to handle. Nothing here throws.

#ifndef KINFORMER_BASE_RESULT_H_
#define KINFORMER_BASE_RESULT_H_

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "kinformer/base/error.h"

namespace kinformer {

template <class T>
class Ref;  // ref.h

namespace internal {
template <class T>
inline constexpr bool kIsRef = false;
template <class T>
inline constexpr bool kIsRef<Ref<T>> = true;
// True if a Result<T> may be made of {}, as a T.
template <class T>
inline constexpr bool kEmptyIsValue = false;

[[noreturn]] void DieOfBadResultAccess(const Error& error);
[[noreturn]] void DieOfMissingError();
[[noreturn]] void ExitWithError(const Error& error);
}  // namespace internal

// A T, or the Error that explains why there is none. As copyable as T. Thread-compatible. The arrow
// of a Result<Ref<T>> accesses the object: pod->spec().
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result()
    requires internal::kEmptyIsValue<T>
      : value_(), ok_(true) {}
  // NOLINTBEGIN(google-explicit-constructor): so that `return value;` and `return error;` work
  Result(T value) : value_(std::move(value)), ok_(true) {}
  Result(Error error) : error_(std::move(error)) {}
  // Accepts anything that converts to T, so that `return std::make_unique<Derived>()` works.
  template <class U>
    requires(!std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error> &&
             !std::is_same_v<std::remove_cvref_t<U>, T> && std::is_convertible_v<U &&, T>)
  Result(U&& value) : value_(std::forward<U>(value)), ok_(true) {}
  // NOLINTEND(google-explicit-constructor)
  Result(const Result& other)
    requires std::is_copy_constructible_v<T>
      : ok_(other.ok_) {
    if (ok_) {
      MakeValue(other.value_);
    } else {
      MakeError(other.error_);
    }
  }
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : ok_(other.ok_) {
    if (ok_) {
      MakeValue(std::move(other.value_));
    } else {
      MakeError(std::move(other.error_));
    }
  }
  Result& operator=(const Result& other)
    requires(std::is_copy_constructible_v<T> && std::is_move_assignable_v<T>)
  {
    return *this = Result(other);
  }
  Result& operator=(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T> &&
                                             std::is_nothrow_move_assignable_v<T>)
    requires std::is_move_assignable_v<T>
  {
    if (ok_ && other.ok_) {
      value_ = std::move(other.value_);
    } else if (other.ok_) {
      ErrorAside aside(*this);
      MakeValue(std::move(other.value_));
      aside.Drop();
      ok_ = true;
    } else if (ok_) {
      value_.~T();
      MakeError(std::move(other.error_));
      ok_ = false;
    } else {
      error_ = std::move(other.error_);
    }
    return *this;
  }
  ~Result() {
    if (ok_) {
      value_.~T();
    } else {
      error_.~Error();
    }
  }

  [[nodiscard]] bool ok() const { return ok_; }
  explicit operator bool() const {
    static_assert(
        !std::is_same_v<T, bool>,
        "kinformer: `if (result)` of a Result<bool> may mean two things: ask result.ok(), "
        "or *result for the value");
    return ok();
  }

  [[nodiscard]] T& value() & { return Checked(); }
  [[nodiscard]] const T& value() const& { return const_cast<Result*>(this)->Checked(); }
  [[nodiscard]] T value() && { return std::move(Checked()); }
  [[nodiscard]] T& operator*() & { return Checked(); }
  [[nodiscard]] const T& operator*() const& { return const_cast<Result*>(this)->Checked(); }
  [[nodiscard]] T operator*() && { return std::move(Checked()); }
  [[nodiscard]] T* operator->() & requires(!internal::kIsRef<T>) { return &Checked(); }
                                  [[nodiscard]] T* operator-> () &&
      requires(!internal::kIsRef<T>) { return &Checked(); }
      [[nodiscard]] const T* operator->() const&
        requires(!internal::kIsRef<T>)
  {
    return &const_cast<Result*>(this)->Checked();
  }
  [[nodiscard]] const T& operator->() const&
    requires internal::kIsRef<T>
  {
    return const_cast<Result*>(this)->Checked();
  }
  const T& operator->() const&&
    requires internal::kIsRef<T>
  {
    static_assert(sizeof(T) == 0,
                  "the object would go with this Result: keep it, const auto pod = "
                  "pods.Get(\"web-0\"); if (!pod) return pod.error(); and then pod->spec()");
    return value_;
  }
  [[nodiscard]] T value_or(T fallback) && { return ok() ? std::move(value_) : std::move(fallback); }
  [[nodiscard]] T value_or(T fallback) const& {
    if (ok()) return value_;
    return fallback;  // moved
  }

  // REQUIRES: !ok().
  [[nodiscard]] const Error& error() const& { return const_cast<Result*>(this)->CheckedError(); }
  [[nodiscard]] Error error() && { return std::move(CheckedError()); }

  // Returns the value; or prints the error on stderr and exits with status 1. For main().
  T OrExit() && { return std::move(OrExit()); }
  T& OrExit() & {
    if (!ok()) internal::ExitWithError(error_);
    return value_;
  }
  const T& OrExit() const& { return const_cast<Result*>(this)->OrExit(); }

 private:
  // Takes the error away to make room for the value; puts it back if making that throws.
  class ErrorAside {
   public:
    explicit ErrorAside(Result& result) : result_(&result), error_(std::move(result.error_)) {
      result.error_.~Error();
    }
    ~ErrorAside() {
      if (result_ != nullptr) result_->MakeError(std::move(error_));
    }
    ErrorAside(const ErrorAside&) = delete;
    ErrorAside& operator=(const ErrorAside&) = delete;
    void Drop() { result_ = nullptr; }

   private:
    Result* result_;
    Error error_;
  };

  template <class From>
  void MakeValue(From&& from) {
    ::new (static_cast<void*>(std::addressof(value_))) T(std::forward<From>(from));
  }
  template <class From>
  void MakeError(From&& from) {
    ::new (static_cast<void*>(&error_)) Error(std::forward<From>(from));
  }
  T& Checked() {
    if (!ok_) internal::DieOfBadResultAccess(error_);
    return value_;
  }
  Error& CheckedError() {
    if (ok_) internal::DieOfMissingError();
    return error_;
  }

  // No std::variant, which costs the compiler several times as much for each T.
  union {
    T value_;
    Error error_;
  };
  bool ok_ = false;
};

// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  // REQUIRES: !ok().
  [[nodiscard]] const Error& error() const& { return const_cast<Result*>(this)->CheckedError(); }
  [[nodiscard]] Error error() && { return std::move(CheckedError()); }
  void OrExit() const {
    if (!ok()) internal::ExitWithError(*error_);
  }

 private:
  Error& CheckedError() {
    if (ok()) internal::DieOfMissingError();
    return *error_;
  }

  std::optional<Error> error_;
};

}  // namespace kinformer

// Rejects structured bindings: a Result has a value or an error, not both.
template <class T>
struct std::tuple_size<kinformer::Result<T>> {
  static_assert(sizeof(T*) == 0,
                "a Result holds a value or an error, and not both: const auto pod = ...; if (!pod) "
                "return pod.error(); and then *pod");
  static constexpr std::size_t value = 2;
};

#endif  // KINFORMER_BASE_RESULT_H_
