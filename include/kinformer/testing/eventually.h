// kinformer/testing/eventually.h
//
// Eventually, Consistently: what a matcher (matchers.h) says of an object after some time, or all
// the time. In real time, or in the simulated time of an Environment, which they advance.
//
//   using namespace kinformer::testing;
//   Environment env;
//   EXPECT_TRUE(Eventually(ObjectIn<corev1::Pod>(env, {"default", "web-0"}),
//                          HasCondition("Ready", "True")));
//   EXPECT_TRUE(Consistently(ObjectIn<corev1::Pod>(client, {"default", "web-0"}),
//                            HasField(".status.phase", "Running"), {.within = 2s}));
//   EXPECT_TRUE(Eventually(env, [&] { return env.writes(); }, Gt(3U)));
//
// A failure says what was seen last:
//
//   Value of: Eventually(ObjectIn<corev1::Pod>(...), HasCondition("Ready", "True"))
//     Actual: false (not so within 10 s, in 500 looks
//   Expected: has the condition Ready=True
//       Last: Pod default/web-0, which has these conditions: Ready=False (Unready))
//   Expected: true
//
// Includes GoogleTest as matchers.h does. Counterparts: gomega's functions of the same names, and
// komega's Object, which is ObjectIn here.

#ifndef KINFORMER_TESTING_EVENTUALLY_H_
#define KINFORMER_TESTING_EVENTUALLY_H_

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/internal/document_checks.h"
#include "kinformer/internal/document_of.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_from_json.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/testing/environment.h"
#include "kinformer/testing/matchers.h"
#include "kinformer/testing/polling.h"

namespace kinformer::testing {

// Reads one object again at each call. V is json::Value, or a Ref of a view. A value; refers to
// what it reads from.
template <class V>
class ObjectReader {
 public:
  ObjectReader(Clock clock, std::function<Result<V>()> read)
      : clock_(clock), read_(std::move(read)) {}
  [[nodiscard]] Result<V> operator()() const { return read_(); }
  [[nodiscard]] const Clock& clock() const { return clock_; }

 private:
  Clock clock_;
  std::function<Result<V>()> read_;
};

// Return a reader of an object: through a client, which blocks, or straight from a server in
// memory, whose faults do not touch it.
template <Resource T>
ObjectReader<Ref<T>> ObjectIn(const Client& client, ObjectName name) {
  return {Clock(client), [objects = client.For<T>(name.namespace_), name = name.name] {
            return objects.Get(name);
          }};
}
// Reads a document of any resource.
inline ObjectReader<json::Value> ObjectIn(ApiServer& server, GroupVersionResource resource,
                                          ObjectName name) {
  return {Clock(server), [&server, resource = std::move(resource), name = std::move(name)] {
            return server.Get(resource, name);
          }};
}
// Reads a document of any resource.
inline ObjectReader<json::Value> ObjectIn(Environment& env, GroupVersionResource resource,
                                          ObjectName name) {
  return ObjectIn(env.server(), std::move(resource), std::move(name));
}
// Reads an object of a type.
template <Resource T>
ObjectReader<Ref<T>> ObjectIn(ApiServer& server, ObjectName name) {
  const KindInfo& kind = T::kind_info();
  GroupVersionResource resource{std::string(kind.group), std::string(kind.version),
                                std::string(kind.resource)};
  return {Clock(server),
          [read = ObjectIn(server, std::move(resource), std::move(name))]() -> Result<Ref<T>> {
            const Result<json::Value> document = read();
            if (!document) return document.error();
            Result<AnyRef> object = ObjectFromJson(T::kind_info(), document->Dump());
            if (!object) return object.error();
            return (*object).template As<T>();
          }};
}
// Reads an object of a type.
template <Resource T>
ObjectReader<Ref<T>> ObjectIn(Environment& env, ObjectName name) {
  return ObjectIn<T>(env.server(), std::move(name));
}

}  // namespace kinformer::testing

namespace kinformer::internal::kit {

// Returns "10 s".
inline std::string Seconds(Duration duration) {
  std::ostringstream out;
  out << std::chrono::duration<double>(duration).count() << " s";
  return out.str();
}

// Returns the object's kind and name, or what GoogleTest prints of anything else.
template <class T>
std::string Printed(const T& value) {
  if constexpr (HasErrorInside<T>) {
    if (!value.ok()) return value.error().ToString();
    if constexpr (!std::is_void_v<typename T::value_type>) {
      const auto& inside = *value;
      return Printed(inside);
    } else {
      return "ok";
    }
  } else if constexpr (kIsRefOf<T> || WritesItsJson<T> || std::same_as<T, json::Value>) {
    const Result<json::Value> document = DocumentOf(value);
    if (!document) return document.error().ToString();
    return document->contains("metadata") ? NameOfDocument(*document) : document->Dump();
  } else {
    return ::testing::PrintToString(value);
  }
}

// Compares, and sets `seen`: "Pod default/web-0, which has these conditions: none".
template <class T, class M>
bool Look(const T& value, const M& matcher, std::string& seen) {
  ::testing::StringMatchResultListener listener;
  const bool holds = matcher.MatchAndExplain(value, &listener);
  seen = Printed(value);
  const std::string found = listener.str();
  if (found.starts_with(seen)) {
    seen = found;  // it begins with the name
  } else if (!found.empty()) {
    seen += ", " + found;
  }
  return holds;
}

template <class Getter, class M>
::testing::AssertionResult PollOf(const testing::Clock& clock, const Getter& get, const M& matcher,
                                  testing::PollOptions options, bool always) {
  using Value = std::remove_cvref_t<std::invoke_result_t<const Getter&>>;
  const auto fits = ::testing::SafeMatcherCast<const Value&>(matcher);
  // Nobody wants to wait long for nothing to happen.
  if (always && !clock.simulated() && options.within <= Duration::zero()) {
    options.within = std::chrono::seconds(1);
  }
  options = clock.Filled(options);
  std::string seen = "nothing";
  int looks = 0;
  // Ends at the first look that decides.
  const bool decided = clock.Poll(
      [&] {
        ++looks;
        const Value value = get();
        return Look(value, fits, seen) != always;
      },
      options);
  if (decided != always) return ::testing::AssertionSuccess() << seen;
  std::ostringstream expected;
  fits.DescribeTo(&expected);
  ::testing::AssertionResult failure = ::testing::AssertionFailure();
  if (always) {
    failure << "otherwise at look " << looks << " of " << Seconds(options.within);
  } else {
    failure << "not so within " << Seconds(options.within) << ", in " << looks << " looks";
  }
  return failure << "\nExpected: " << expected.str() << "\n    Last: " << seen;
}

template <class Getter>
testing::Clock ClockOf(const Getter& get) {
  if constexpr (requires { get.clock(); }) {
    return get.clock();
  } else {
    return {};
  }
}

}  // namespace kinformer::internal::kit

namespace kinformer::testing {

// Calls `get` until what it returns matches. `get` is an ObjectIn, or any function: it is called on
// this thread, and an exception of it passes through. Without a clock: the ObjectIn's own one, or
// real time. Blocks; not for a loop.
template <std::invocable Getter, class M>
[[nodiscard]] ::testing::AssertionResult Eventually(const Getter& get, const M& matcher,
                                                    PollOptions options = {}) {
  namespace kit = kinformer::internal::kit;
  return kit::PollOf(kit::ClockOf(get), get, matcher, options, false);
}
// Does the same by this clock.
template <std::invocable Getter, class M>
[[nodiscard]] ::testing::AssertionResult Eventually(const Clock& clock, const Getter& get,
                                                    const M& matcher, PollOptions options = {}) {
  return kinformer::internal::kit::PollOf(clock, get, matcher, options, false);
}

// Calls `get` for the whole time of `options.within` (0: one second of real time), and fails at the
// first value that does not match. Everything else is as for Eventually.
template <std::invocable Getter, class M>
[[nodiscard]] ::testing::AssertionResult Consistently(const Getter& get, const M& matcher,
                                                      PollOptions options = {}) {
  namespace kit = kinformer::internal::kit;
  return kit::PollOf(kit::ClockOf(get), get, matcher, options, true);
}
// Does the same by this clock.
template <std::invocable Getter, class M>
[[nodiscard]] ::testing::AssertionResult Consistently(const Clock& clock, const Getter& get,
                                                      const M& matcher, PollOptions options = {}) {
  return kinformer::internal::kit::PollOf(clock, get, matcher, options, true);
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_EVENTUALLY_H_
