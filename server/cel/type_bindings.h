// cel/type_bindings.h
//
// Bindings: types with variables, and what the variables stand for.

#ifndef KINFORMER_CEL_TYPE_BINDINGS_H_
#define KINFORMER_CEL_TYPE_BINDINGS_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "cel/type.h"

namespace kinformer::internal::cel {

// Used by one check. Thread-compatible.
class Bindings {
 public:
  // Types that a checker makes are not deeper, so that recursion over them is bounded.
  static constexpr std::size_t kMaxDepth = 100;

  TypePtr Fresh() {
    auto type = std::make_shared<Type>();
    type->kind = TypeKind::kVariable;
    type->variable = bound_.size();
    bound_.emplace_back();
    return type;
  }
  // Reserves variables for a signature; returns the number of the first.
  std::size_t Reserve(std::size_t count) {
    const std::size_t first = bound_.size();
    bound_.resize(first + count);
    return first;
  }

  // Returns the type itself where a variable stands for one.
  [[nodiscard]] const TypePtr& Follow(const TypePtr& type) const {
    const TypePtr* at = &type;
    while ((*at)->kind == TypeKind::kVariable && bound_[(*at)->variable] != nullptr) {
      at = &bound_[(*at)->variable];
    }
    return *at;
  }

  // Returns the type without bound variables; unbound ones become dyn if `whole`.
  [[nodiscard]] TypePtr Resolve(const TypePtr& type, bool whole, std::size_t depth = 0) const {
    const TypePtr& followed = Follow(type);
    if (depth > kMaxDepth) return Plain(TypeKind::kDyn);
    if (followed->kind == TypeKind::kVariable) return whole ? Plain(TypeKind::kDyn) : followed;
    if (followed->parameters.empty() || !HasVariables(*followed, depth)) return followed;
    auto out = std::make_shared<Type>(*followed);
    for (TypePtr& parameter : out->parameters) parameter = Resolve(parameter, whole, depth + 1);
    return out;
  }

  // Returns the type of a signature with variables of its own.
  static TypePtr Renamed(const TypePtr& type, std::size_t first) {
    if (type->kind == TypeKind::kVariable) {
      auto out = std::make_shared<Type>(*type);
      out->variable += first;
      return out;
    }
    if (type->parameters.empty()) return type;
    auto out = std::make_shared<Type>(*type);
    for (TypePtr& parameter : out->parameters) parameter = Renamed(parameter, first);
    return out;
  }

  // Binds variables so that a value of type `a` fits where `b` is expected; false if it never does,
  // and then variables may be bound: undo.
  bool Unify(const TypePtr& a, const TypePtr& b, std::size_t depth = 0) {
    const TypePtr one = Follow(a);
    const TypePtr other = Follow(b);
    if (one == other) return true;
    if (!Fit(one, other, depth)) return false;
    // A variable that stood for a type may have to stand for more.
    if (b->kind == TypeKind::kVariable && other->kind != TypeKind::kVariable &&
        MostGeneral(one, other) == one) {
      Rebind(b, one);
    }
    return true;
  }

  // Returns which of two types, one of which fits where the other is expected, covers more: the
  // first if both do.
  [[nodiscard]] TypePtr MostGeneral(const TypePtr& a, const TypePtr& b) const {
    return CoversAll(a, b, 0) ? a : b;
  }

  [[nodiscard]] std::size_t Mark() const { return trail_.size(); }
  void Undo(std::size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) {
      bound_[trail_.back().first] = std::move(trail_.back().second);
    }
  }

 private:
  bool Fit(const TypePtr& one, const TypePtr& other, std::size_t depth) {
    if (depth > kMaxDepth) return true;
    if (one->kind == TypeKind::kVariable) return Bind(one->variable, other);
    if (other->kind == TypeKind::kVariable) return Bind(other->variable, one);
    if (IsAny(*one) || IsAny(*other)) return true;
    if (one->kind == TypeKind::kNull) return MayBeNull(other->kind);
    if (other->kind == TypeKind::kNull) return MayBeNull(one->kind);
    if (one->kind != other->kind) return false;
    if (one->kind == TypeKind::kObject) return one->name == other->name;
    if (one->kind == TypeKind::kType) return true;
    for (std::size_t i = 0; i < one->parameters.size(); ++i) {
      if (!Unify(one->parameters[i], other->parameters[i], depth + 1)) return false;
    }
    return true;
  }

  [[nodiscard]] bool CoversAll(const TypePtr& a, const TypePtr& b, std::size_t depth) const {
    const Type& one = *Follow(a);
    const Type& other = *Follow(b);
    const auto is_open = [](const Type& type) {
      return type.kind == TypeKind::kDyn || type.kind == TypeKind::kVariable;
    };
    if (is_open(one) || depth > kMaxDepth) return true;
    if (is_open(other) || one.kind != other.kind) return false;
    if (one.kind == TypeKind::kType) return true;
    for (std::size_t i = 0; i < one.parameters.size(); ++i) {
      if (!CoversAll(one.parameters[i], other.parameters[i], depth + 1)) return false;
    }
    return true;
  }

  // Lets the last of the variables that `variable` leads to stand for another type.
  void Rebind(const TypePtr& variable, TypePtr type) {
    std::size_t last = variable->variable;
    while (bound_[last]->kind == TypeKind::kVariable) last = bound_[last]->variable;
    if (Occurs(last, type, 0)) return;
    trail_.emplace_back(last, std::exchange(bound_[last], std::move(type)));
  }

  static bool IsAny(const Type& type) {
    return type.kind == TypeKind::kDyn || type.kind == TypeKind::kFailed;
  }

  static bool MayBeNull(TypeKind kind) {
    return kind == TypeKind::kNull || kind == TypeKind::kObject || kind == TypeKind::kTimestamp ||
           kind == TypeKind::kDuration || kind == TypeKind::kOptional || kind == TypeKind::kUrl ||
           kind == TypeKind::kIp || kind == TypeKind::kCidr || kind == TypeKind::kQuantity ||
           kind == TypeKind::kSemver || kind == TypeKind::kNamedFormat;
  }

  [[nodiscard]] bool HasVariables(const Type& type, std::size_t depth) const {
    if (type.kind == TypeKind::kVariable) return true;
    if (depth > kMaxDepth) return false;
    return std::ranges::any_of(type.parameters, [&](const TypePtr& parameter) {
      return HasVariables(*parameter, depth + 1);
    });
  }

  [[nodiscard]] bool Occurs(std::size_t variable, const TypePtr& type, std::size_t depth) const {
    const TypePtr& followed = Follow(type);
    if (followed->kind == TypeKind::kVariable) return followed->variable == variable;
    if (depth > kMaxDepth) return true;
    return std::ranges::any_of(followed->parameters, [&](const TypePtr& parameter) {
      return Occurs(variable, parameter, depth + 1);
    });
  }

  bool Bind(std::size_t variable, TypePtr type) {
    if (Occurs(variable, type, 0)) return false;
    bound_[variable] = std::move(type);
    trail_.emplace_back(variable, nullptr);
    return true;
  }

  std::vector<TypePtr> bound_;
  std::vector<std::pair<std::size_t, TypePtr>> trail_;  // and what they stood for before
};

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_TYPE_BINDINGS_H_
