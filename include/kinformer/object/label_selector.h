// kinformer/object/label_selector.h
//
// LabelSelector: a condition on an object's labels, in the syntax of the API's labelSelector
// parameter.
//
//   auto selector = LabelSelector::Parse("app in (web, api), tier != test, !draining").OrExit();
//   for (corev1::Pod pod : lister.List(selector)) ...

#ifndef KINFORMER_OBJECT_LABEL_SELECTOR_H_
#define KINFORMER_OBJECT_LABEL_SELECTOR_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/attributes.h"
#include "kinformer/internal/callable.h"

namespace kinformer {

// A value: copyable, compared by its canonical text. Thread-compatible; const methods may be called
// from many threads. Default-constructed, it selects everything. Counterpart: labels.Selector.
class LabelSelector {
 public:
  enum class Operator : std::uint8_t {
    kIn,
    kNotIn,
    kExists,
    kDoesNotExist,
    kGreaterThan,
    kLessThan
  };
  // One condition. `=` and `==` are kIn with one value, `!=` is kNotIn with one.
  struct Requirement {
    std::string key{};
    Operator operation{};
    // Sorted, distinct; one decimal number for kGreaterThan and kLessThan.
    std::vector<std::string> values{};
    bool operator==(const Requirement&) const = default;
  };

  LabelSelector() = default;
  // Explains that text must be parsed, which may fail.
  template <std::convertible_to<std::string_view> Text>
  LabelSelector(const Text& /*text*/,  // NOLINT(google-explicit-constructor)
                std::nullptr_t /*explained*/ = Explain<Text>()) {}
  // Explains pairs, as in a Go map of labels: a selector can be more than these.
  LabelSelector(std::initializer_list<std::pair<std::string_view, std::string_view>> labels)
      KINFORMER_UNAVAILABLE(
          "labels are given as text, which is read first: "
          "LabelSelector::Parse(\"app=web,tier=front\").OrExit()");
  static LabelSelector Everything() { return {}; }
  static LabelSelector Nothing();
  // Parses a selector. kInvalidArgument with the position of the error and what was expected there.
  static Result<LabelSelector> Parse(std::string_view text);
  // Returns a selector of all `requirements`. Same errors.
  static Result<LabelSelector> Of(std::vector<Requirement> requirements);

  [[nodiscard]] bool MatchesEverything() const { return !nothing_ && requirements_.empty(); }
  [[nodiscard]] bool MatchesNothing() const { return nothing_; }
  [[nodiscard]] const std::vector<Requirement>& requirements() const { return requirements_; }

  // Returns true if the labels match. `labels` has a Find(key) that returns an optional text, as
  // the labels() of an object. Absent labels satisfy kNotIn and kDoesNotExist, as in the API.
  template <class Labels>
  [[nodiscard]] bool Matches(const Labels& labels) const {
    if (nothing_) return false;
    for (const Requirement& requirement : requirements_) {
      const std::optional<std::string_view> value = labels.Find(requirement.key);
      if (!Satisfies(requirement, value)) return false;
    }
    return true;
  }

  // Returns the canonical text, sorted by key: "a=b,c in (d,e),!f".
  [[nodiscard]] std::string ToString() const;
  bool operator==(const LabelSelector&) const = default;

 private:
  // Has a deduced result type, so that the compiler reads it at the call.
  template <class Text>
  static auto Explain() {
    static_assert(
        internal::kNeverHolds<Text>,
        "text is no LabelSelector yet, and may have mistakes in it: "
        "LabelSelector::Parse(\"app=web\").OrExit(), or look at the Result that Parse gives");
    return nullptr;
  }
  static bool Satisfies(const Requirement& requirement, std::optional<std::string_view> value);

  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_LABEL_SELECTOR_H_
