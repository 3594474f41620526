// kinformer/testing/matchers.h
//
// GoogleTest's matchers for objects of the API, which say what differs:
//
//   using namespace kinformer::testing;
//   EXPECT_THAT(pod, HasLabel("app", "web"));
//   EXPECT_THAT(pod, HasCondition("Ready", "True"));
//   EXPECT_THAT(pod, HasField(".spec.containers[0].image", StartsWith("nginx:")));
//   EXPECT_THAT(pod, MatchesYaml(R"(
//     spec: {restartPolicy: Always}
//   )"));
//
// The object may be a view, a Ref, a struct (T::Mutable), json::Value, or a Result or a pointer of
// one of these: a Result that failed matches nothing, and says why it failed.
//
// Includes <gmock/gmock.h>; no other header of kinformer does. Link kinformer::testing and
// GoogleTest's gmock. Counterparts: the matchers of gomega that tests of operators use with
// controller-runtime's komega.

#ifndef KINFORMER_TESTING_MATCHERS_H_
#define KINFORMER_TESTING_MATCHERS_H_

#include <compare>
#include <concepts>
#include <functional>
#include <gmock/gmock.h>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/document_checks.h"
#include "kinformer/internal/document_of.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"
#include "kinformer/testing/fake_recorder.h"

namespace kinformer::testing {

// The value at a path, as HasField gives it to a matcher: compared with and converted to what it
// may be. A list has the interface of a container. A value.
class FieldValue {
 public:
  using value_type = FieldValue;
  using const_iterator = std::vector<FieldValue>::const_iterator;
  using iterator = const_iterator;

  explicit FieldValue(const json::Value& value) : value_(value) {
    for (const json::Value& item : value.items()) items_.emplace_back(item);
  }
  [[nodiscard]] const json::Value& json() const { return value_; }
  // Returns a string as it is, and anything else as JSON.
  operator std::string() const {  // NOLINT(google-explicit-constructor): for matchers of strings
    return value_.is_string() ? value_.StringOrEmpty() : value_.Dump();
  }
  explicit operator bool() const { return value_.AsBool().value_or(false); }
  [[nodiscard]] const_iterator begin() const { return items_.begin(); }
  [[nodiscard]] const_iterator end() const { return items_.end(); }
  [[nodiscard]] std::size_t size() const {
    return value_.is_string() ? value_.StringOrEmpty().size() : value_.size();
  }
  [[nodiscard]] bool empty() const { return size() == 0; }

  friend bool operator==(const FieldValue& a, const FieldValue& b) { return a.value_ == b.value_; }
  friend bool operator==(const FieldValue& a, const json::Value& b) { return a.value_ == b; }
  template <class T>
    requires(std::is_arithmetic_v<T>)
  friend bool operator==(const FieldValue& a, T b) {
    return a.value_ == json::Value(b);
  }
  friend bool operator==(const FieldValue& a, std::string_view b) {
    return a.value_.AsString() == b;
  }
  friend bool operator==(const FieldValue& a, const std::string& b) {
    return a == std::string_view(b);
  }
  friend bool operator==(const FieldValue& a, const char* b) { return a == std::string_view(b); }
  // Orders numbers; anything else is neither less nor greater than a number.
  template <class T>
    requires(std::is_arithmetic_v<T>)
  friend std::partial_ordering operator<=>(const FieldValue& a, T b) {
    const std::optional<double> number = a.value_.AsDouble();
    return number ? *number <=> static_cast<double>(b) : std::partial_ordering::unordered;
  }
  friend void PrintTo(const FieldValue& value, std::ostream* out) { *out << value.value_; }

 private:
  json::Value value_;
  std::vector<FieldValue> items_;
};

}  // namespace kinformer::testing

namespace kinformer::internal::kit {

inline TextCheck CheckOf(const ::testing::Matcher<std::string>& matcher) {
  std::ostringstream expected;
  matcher.DescribeTo(&expected);
  return {.expected = expected.str(),
          .holds = [matcher](const std::string& text) { return matcher.Matches(text); }};
}

template <class T>
concept Printable = requires(std::ostream& out, const T& value) { out << value; };

// Matches whatever DocumentOf takes.
class DocumentMatcher {
 public:
  explicit DocumentMatcher(DocumentCheck check) : check_(std::move(check)) {}
  template <class T>
  bool MatchAndExplain(const T& object, ::testing::MatchResultListener* listener) const {
    const Result<json::Value> document = DocumentOf(object);
    if (!document) {
      *listener << "which is no object: " << document.error().ToString();
      return false;
    }
    const Verdict verdict = check_.run(*document);
    // GoogleTest prints the bytes of a Result.
    if constexpr (!Printable<T>) *listener << NameOfDocument(*document) << ", ";
    *listener << "which " << verdict.found;
    return verdict.holds;
  }
  void DescribeTo(std::ostream* out) const { *out << check_.expected; }
  void DescribeNegationTo(std::ostream* out) const { *out << check_.refused; }

 private:
  DocumentCheck check_;
};

inline ::testing::PolymorphicMatcher<DocumentMatcher> Matching(DocumentCheck check) {
  return ::testing::MakePolymorphicMatcher(DocumentMatcher(std::move(check)));
}

// Returns the JSON of YAML text, or of an object.
template <class T>
Result<json::Value> Expected(const T& object) {
  if constexpr (std::convertible_to<const T&, std::string_view> && !std::same_as<T, json::Value>) {
    return yaml::Parse(std::string_view(object));
  } else {
    return DocumentOf(object);
  }
}

inline json::Value DocumentOfEvent(const testing::RecordedEvent& event) {
  return json::Value::MakeObject(
      {{"type", event.type}, {"reason", event.reason}, {"message", event.message}});
}

// Returns the events of a recorder, or of a list of events; of a Result or pointer of one.
template <class T>
Result<std::vector<json::Value>> EventsOf(const T& source) {
  if constexpr (requires { source.Events(); }) {
    const auto events = source.Events();
    return EventsOf(events);
  } else if constexpr (HasErrorInside<T>) {
    if (!source.ok()) return source.error();
    const auto& inside = *source;
    return EventsOf(inside);
  } else if constexpr (requires { source.begin(); }) {
    std::vector<json::Value> out;
    for (const auto& event : source) {
      if constexpr (std::convertible_to<decltype(event), const testing::RecordedEvent&>) {
        out.push_back(DocumentOfEvent(event));
      } else {
        Result<json::Value> document = DocumentOf(event);
        if (!document) return document.error();
        out.push_back(*std::move(document));
      }
    }
    return out;
  } else {
    if (!source) return Error(Reason::kNotFound, "the pointer is null");
    return EventsOf(*source);
  }
}

class EventMatcher {
 public:
  EventMatcher(std::string type, std::string reason, std::optional<TextCheck> message)
      : type_(std::move(type)), reason_(std::move(reason)), message_(std::move(message)) {}
  template <class T>
  bool MatchAndExplain(const T& source, ::testing::MatchResultListener* listener) const {
    const Result<std::vector<json::Value>> events = EventsOf(source);
    if (!events) {
      *listener << "which has no events: " << events.error().ToString();
      return false;
    }
    const Verdict verdict = FindEvent(*events, type_, reason_, message_);
    *listener << "which " << verdict.found;
    return verdict.holds;
  }
  void DescribeTo(std::ostream* out) const { *out << "has " << Words("an"); }
  void DescribeNegationTo(std::ostream* out) const { *out << "has " << Words("no"); }

 private:
  [[nodiscard]] std::string Words(const std::string& article) const {
    return article + " event " + type_ + " " + reason_ +
           (message_ ? " with a message that " + message_->expected : "");
  }
  std::string type_;
  std::string reason_;
  std::optional<TextCheck> message_;
};

class AbsentMatcher {
 public:
  template <class T>
  bool MatchAndExplain(const T& result, ::testing::MatchResultListener* listener) const {
    if (!result.ok()) {
      *listener << "which failed with " << result.error().ToString();
      return IsNotFound(result.error());
    }
    *listener << "which exists";
    return false;
  }
  void DescribeTo(std::ostream* out) const { *out << "is not found"; }
  void DescribeNegationTo(std::ostream* out) const { *out << "is found"; }
};

}  // namespace kinformer::internal::kit

namespace kinformer::testing {

// ---- Whole objects. `expected` is YAML or JSON text, or an object in one of the forms above.

// Matches an object that has these members and no others. Says with a diff of YAML what differs.
// `expected` may lack kind and apiVersion. Members that built-in kinds always write, such as an
// empty status, may stand on one side only.
template <class T>
auto EqualsObject(const T& expected) {
  return kinformer::internal::kit::Matching(
      kinformer::internal::kit::EqualsDocument(kinformer::internal::kit::Expected(expected)));
}
// Matches an object that has at least these members. The objects of a list must be there in their
// order, each with at least its members, and others may stand between; a list of anything else must
// be equal.
template <class T>
auto MatchesYaml(const T& expected) {
  return kinformer::internal::kit::Matching(
      kinformer::internal::kit::ContainsDocument(kinformer::internal::kit::Expected(expected)));
}

// ---- Metadata. A text may be given by its value or by a matcher.

// Matches an object of this name.
inline auto HasName(const ::testing::Matcher<std::string>& name) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(kit::HasTextAt("name", "/metadata/name", kit::CheckOf(name)));
}
// Matches an object of this namespace.
inline auto HasNamespace(const ::testing::Matcher<std::string>& name) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(kit::HasTextAt("namespace", "/metadata/namespace", kit::CheckOf(name)));
}
// Match an object with this label, whatever its value is, or with this value.
inline auto HasLabel(std::string key) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(kit::HasEntry("labels", std::move(key), {}));
}
// See the other HasLabel.
inline auto HasLabel(std::string key, const ::testing::Matcher<std::string>& value) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(kit::HasEntry("labels", std::move(key), kit::CheckOf(value)));
}
// Match an object with this annotation, whatever its value is, or with this value.
inline auto HasAnnotation(std::string key) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(kit::HasEntry("annotations", std::move(key), {}));
}
// See the other HasAnnotation.
inline auto HasAnnotation(std::string key, const ::testing::Matcher<std::string>& value) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(kit::HasEntry("annotations", std::move(key), kit::CheckOf(value)));
}
// Matches an object with this finalizer.
inline auto HasFinalizer(std::string name) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(kit::HasFinalizerNamed(std::move(name)));
}
// Matches an object with a reference to `owner`, by its uid or, if it has none, by kind and name.
template <class T>
auto IsOwnedBy(const T& owner) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(kit::IsOwned(kinformer::internal::DocumentOf(owner), false));
}
// Matches an object whose controller is `owner`.
template <class T>
auto IsControlledBy(const T& owner) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(kit::IsOwned(kinformer::internal::DocumentOf(owner), true));
}

// ---- Conditions in status.conditions.

// Match an object that has the condition with this status, for any reason or for this one.
inline auto HasCondition(std::string type, std::string status) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(kit::HasConditionOf(std::move(type), std::move(status), {}));
}
// See the other HasCondition.
inline auto HasCondition(std::string type, std::string status,
                         const ::testing::Matcher<std::string>& reason) {
  namespace kit = kinformer::internal::kit;
  return kit::Matching(
      kit::HasConditionOf(std::move(type), std::move(status), kit::CheckOf(reason)));
}

// ---- Fields. `path` is a JSONPath as in columns of custom resources: ".spec.replicas",
// ".spec.containers[0].image", ".metadata.labels['app.kubernetes.io/name']",
// ".status.conditions[?(@.type=='Ready')].status" (json/jsonpath.h has all forms). Of several
// values, one must match. If there is none, the message names the step that leads nowhere.

// Matches an object whose field matches, or equals a value.
template <class M>
auto HasField(std::string path, const M& matcher) {
  namespace kit = kinformer::internal::kit;
  const auto value = [&] {
    if constexpr (std::convertible_to<const M&, std::string_view>) {
      return ::testing::Matcher<const FieldValue&>(
          ::testing::Eq(std::string(std::string_view(matcher))));
    } else {
      return ::testing::SafeMatcherCast<const FieldValue&>(matcher);
    }
  }();
  std::ostringstream expected;
  value.DescribeTo(&expected);
  const auto run = [value](const json::Value& found) {
    ::testing::StringMatchResultListener listener;
    const bool holds = value.MatchAndExplain(FieldValue(found), &listener);
    return kit::Verdict{.holds = holds, .found = listener.str()};
  };
  return kit::Matching(kit::HasValueAt(std::move(path), {.expected = expected.str(), .run = run}));
}
// Matches an object that has the field.
inline auto HasField(std::string path) { return HasField(std::move(path), ::testing::_); }

// ---- Events of a FakeRecorder, of its Events(), or of a list of core/v1 or events.k8s.io/v1.

// Match what has an event of this type and reason, with any message or with this one.
inline auto HasEvent(std::string type, std::string reason) {
  namespace kit = kinformer::internal::kit;
  return ::testing::MakePolymorphicMatcher(
      kit::EventMatcher(std::move(type), std::move(reason), {}));
}
// See the other HasEvent.
inline auto HasEvent(std::string type, std::string reason,
                     const ::testing::Matcher<std::string>& message) {
  namespace kit = kinformer::internal::kit;
  return ::testing::MakePolymorphicMatcher(
      kit::EventMatcher(std::move(type), std::move(reason), kit::CheckOf(message)));
}

// Matches a Result that failed since the object does not exist.
inline auto DoesNotExist() {
  return ::testing::MakePolymorphicMatcher(kinformer::internal::kit::AbsentMatcher());
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_MATCHERS_H_
