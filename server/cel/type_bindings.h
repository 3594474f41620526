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
    scalar_.push_back(false);
    return type;
  }
  // Reserves variables for a signature; returns the number of the first.
  std::size_t Reserve(std::size_t count) {
    const std::size_t first = bound_.size();
    bound_.resize(first + count);
    scalar_.resize(first + count);
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
  // and then variables may be bound: undo. Counterpart: internalIsAssignable.
  bool Unify(const TypePtr& a, const TypePtr& b, std::size_t depth = 0) {
    if (depth > kMaxDepth) return true;
    if (b->kind == TypeKind::kVariable) {
      const Binding as = Substitute(a, b->variable, depth);
      if (as.valid || as.bound) return as.valid;
    }
    if (a->kind == TypeKind::kVariable) return Substitute(b, a->variable, depth).valid;
    if (IsAny(*a) || IsAny(*b)) return true;
    if (a->kind == TypeKind::kNull) return MayBeNull(b->kind);
    if (b->kind == TypeKind::kNull) return MayBeNull(a->kind);
    if (a->kind != b->kind) return false;
    if (a->kind == TypeKind::kObject) return a->name == b->name;
    if (a->kind == TypeKind::kType) return true;
    if (a->kind == TypeKind::kMap) {
      MustBeScalar(a->parameters[0]);
      MustBeScalar(b->parameters[0]);
    }
    for (std::size_t i = 0; i < a->parameters.size(); ++i) {
      if (!Unify(a->parameters[i], b->parameters[i], depth + 1)) return false;
    }
    return true;
  }

  // Returns which of two types, one of which fits where the other is expected, covers more: the
  // first if both do. Variables cover everything, whatever they stand for.
  [[nodiscard]] static TypePtr MostGeneral(const TypePtr& a, const TypePtr& b) {
    return CoversAll(*a, *b, 0) ? a : b;
  }

  // Whether two types are written alike.
  [[nodiscard]] static bool Same(const TypePtr& a, const TypePtr& b, std::size_t depth = 0) {
    if (a == b) return true;
    if (a->kind != b->kind || a->variable != b->variable || a->name != b->name) return false;
    if (depth > kMaxDepth || a->parameters.size() != b->parameters.size()) return false;
    for (std::size_t i = 0; i < a->parameters.size(); ++i) {
      if (!Same(a->parameters[i], b->parameters[i], depth + 1)) return false;
    }
    return true;
  }

  // Has a type of keys, if it is a variable, never stand for one with parameters: types of maps do
  // not branch, so that comparing them is bounded.
  void MustBeScalar(const TypePtr& type) {
    const TypePtr& last = Follow(type);
    if (last->kind == TypeKind::kVariable) scalar_[last->variable] = true;
  }

  [[nodiscard]] std::size_t Mark() const { return trail_.size(); }
  void Undo(std::size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) {
      bound_[trail_.back().first] = std::move(trail_.back().second);
    }
  }

 private:
  struct Binding {
    bool valid = false;
    bool bound = false;  // the variable stood for a type before
  };

  // Lets a variable stand for a type, or for the more general of that and the one that it stands
  // for, if one fits the other. Counterpart: isValidTypeSubstitution.
  Binding Substitute(const TypePtr& type, std::size_t variable, std::size_t depth) {
    const auto is_same = [&] {
      return type->kind == TypeKind::kVariable && type->variable == variable;
    };
    bool bound = bound_[variable] != nullptr;
    if (is_same()) return {.valid = true, .bound = true};
    while (bound_[variable] != nullptr && bound_[variable]->kind == TypeKind::kVariable) {
      variable = bound_[variable]->variable;
      if (is_same()) return {.valid = true, .bound = true};
    }
    if (const TypePtr there = bound_[variable]; there != nullptr) {
      if (Same(type, there)) return {.valid = true, .bound = true};
      if (!Unify(type, there, depth + 1)) return {.valid = false, .bound = true};
      TypePtr general = MostGeneral(type, there);
      if (general != there && !Occurs(variable, general, 0)) Set(variable, std::move(general));
      return {.valid = true, .bound = true};
    }
    if (Occurs(variable, type, 0)) return {.valid = false, .bound = bound};
    Set(variable, type);
    return {.valid = true, .bound = bound};
  }

  [[nodiscard]] static bool CoversAll(const Type& one, const Type& other, std::size_t depth) {
    const auto is_open = [](const Type& type) {
      return type.kind == TypeKind::kDyn || type.kind == TypeKind::kVariable;
    };
    if (is_open(one) || depth > kMaxDepth) return true;
    if (is_open(other) || one.kind != other.kind) return false;
    if (one.kind == TypeKind::kType) return true;
    if (one.kind == TypeKind::kObject) return one.name == other.name;
    for (std::size_t i = 0; i < one.parameters.size(); ++i) {
      if (!CoversAll(*one.parameters[i], *other.parameters[i], depth + 1)) return false;
    }
    return true;
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

  void Set(std::size_t variable, TypePtr type) {
    if (scalar_[variable]) {
      MustBeScalar(type);
      if (!Follow(type)->parameters.empty()) type = Plain(TypeKind::kDyn);
    }
    trail_.emplace_back(variable, std::exchange(bound_[variable], std::move(type)));
  }

  std::vector<TypePtr> bound_;
  std::vector<bool> scalar_;                            // stands for no type with parameters
  std::vector<std::pair<std::size_t, TypePtr>> trail_;  // and what they stood for before
};

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_TYPE_BINDINGS_H_
