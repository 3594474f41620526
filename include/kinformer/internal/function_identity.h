// kinformer/internal/function_identity.h
//
// FunctionIdentity: compares function objects, as far as that is possible.

#ifndef KINFORMER_INTERNAL_FUNCTION_IDENTITY_H_
#define KINFORMER_INTERNAL_FUNCTION_IDENTITY_H_

#include <concepts>
#include <cstring>
#include <memory>
#include <type_traits>

namespace kinformer::internal {

// Identity of one function object, shared by its copies. Immutable. Needs no RTTI.
class FunctionIdentity {
 public:
  virtual ~FunctionIdentity() = default;

  // Returns true only if both functions are certainly the same: copies of one object, or objects of
  // one type that have no members, are equal (operator==), or have the same bytes if their bytes
  // define their value.
  [[nodiscard]] bool IsSame(const FunctionIdentity& other) const {
    return this == &other || (tag_ == other.tag_ && Equals(other));
  }

 protected:
  explicit FunctionIdentity(const void* tag) : tag_(tag) {}

 private:
  // REQUIRES: of the same type.
  [[nodiscard]] virtual bool Equals(const FunctionIdentity& other) const = 0;

  const void* const tag_;  // of the type
};

template <class F>
class FunctionIdentityOf final : public FunctionIdentity {
  static constexpr bool kEmpty = std::is_empty_v<F>;
  static constexpr bool kBytes = std::has_unique_object_representations_v<F>;
  static constexpr bool kComparable = kEmpty || kBytes || std::equality_comparable<F>;
  struct Nothing {
    explicit Nothing(const F&) {}
  };

 public:
  explicit FunctionIdentityOf(const F& function) : FunctionIdentity(&kTag), function_(function) {}

 private:
  static constexpr char kTag = 0;

  [[nodiscard]] bool Equals(const FunctionIdentity& other) const override {
    [[maybe_unused]] const auto& that = static_cast<const FunctionIdentityOf&>(other);
    if constexpr (kEmpty) {
      return true;
    } else if constexpr (kBytes) {
      return std::memcmp(&function_, &that.function_, sizeof(F)) == 0;
    } else if constexpr (kComparable) {
      return function_ == that.function_;
    } else {
      return false;
    }
  }

  const std::conditional_t<kComparable && !kEmpty, F, Nothing> function_;
};

template <class F>
std::shared_ptr<const FunctionIdentity> IdentityOf(const F& function) {
  return std::make_shared<FunctionIdentityOf<F>>(function);
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_FUNCTION_IDENTITY_H_
