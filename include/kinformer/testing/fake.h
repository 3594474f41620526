// kinformer/testing/fake.h
//
// testing::Fake: sees each request of a client, keeps it in a log, and answers those that a test
// wants answered in its own way. All others go on to the server in memory, or to any other one.
//
//   kinformer::testing::ApiServer server;
//   kinformer::testing::Fake fake;
//   Client client = fake.NewClient(server);
//   fake.PrependReactor("create", "pods", [](kinformer::testing::Action&) {
//     return Error(Reason::kForbidden, "quota exceeded");
//   });
//
// A reactor is a function of the request, which it may change. It returns an object, an error, a
// watch, or that it passes the request on:
//
//   using kinformer::testing::Reaction;
//   fake.AddReactor("update", "*", [](kinformer::testing::Action& action) -> Reaction {
//     action.object.Ensure("metadata", "labels", "seen") = "yes";
//     return Reaction::PassOn();
//   });
//   fake.Intercept({.get = [](kinformer::testing::Action& action) -> Reaction {
//     if (action.name != "web-0") return Reaction::PassOn();
//     return Error(Reason::kTransport, "cable cut");  // no answer at all
//   }});
//
// Afterwards the test looks at what was asked, without what only reads:
//
//   for (const kinformer::testing::Action& action : fake.Actions()) std::cout << action << '\n';
//
// Works for everything that is made from a client: informers, controllers, managers. For the
// replicas of an Environment: EnvironmentOptions::fake. For a client of a Config:
// config.Wrap(fake.Wrapper(env)).
//
// Link kinformer::testing. Counterparts: testing.Fake of client-go, and controller-runtime's
// interceptor.Funcs. Objects are kept by the server, which takes the place of
// testing.ObjectTracker.

#ifndef KINFORMER_TESTING_FAKE_H_
#define KINFORMER_TESTING_FAKE_H_

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/client/transport.h"
#include "kinformer/client/transport_wrapper.h"
#include "kinformer/internal/document_of.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/action.h"
#include "kinformer/testing/fake_watch.h"

namespace kinformer::internal::kit {
class FakeCore;
class FakeTransport;
struct PassedOn {};
}  // namespace kinformer::internal::kit

namespace kinformer::testing {

class ApiServer;

// Changes an answer of the server: an object, a list, or an error.
using AnswerFunc = std::function<Result<json::Value>(Result<json::Value> answer)>;

// Decision of a reactor about a request. A value.
class Reaction {
 public:
  // Hands the request to the next reactor, and the last one to the server.
  static Reaction PassOn() { return Reaction(kinformer::internal::kit::PassedOn()); }
  // Does the same and changes the answer. Not for watches, whose answer stays as it is.
  static Reaction PassOn(AnswerFunc change) { return Reaction(std::move(change)); }
  // NOLINTBEGIN(google-explicit-constructor): so that reactors return what they mean
  // Answers with a Status. A reason of the client's side (kTransport, kConnectionRefused,
  // kUnexpectedEof, kDeadlineExceeded) breaks the request without an answer.
  Reaction(Error error) : what_(std::move(error)) {}
  // Answers with an object, or for a list with a list. Null: a Status of success.
  Reaction(json::Value object) : what_(std::move(object)) {}
  // Answers with the object of a view, Ref or struct.
  template <class T>
    requires(!std::same_as<T, Reaction> && !std::same_as<T, json::Value> &&
             !std::same_as<T, Error> && !std::same_as<T, FakeWatch>)
  Reaction(const T& object) : Reaction(OfDocument(kinformer::internal::DocumentOf(object))) {}
  // Answers a watch.
  Reaction(FakeWatch watch) : what_(std::move(watch)) {}
  // NOLINTEND(google-explicit-constructor)

 private:
  friend class kinformer::internal::kit::FakeCore;
  friend class kinformer::internal::kit::FakeTransport;
  using What = std::variant<kinformer::internal::kit::PassedOn, AnswerFunc, kinformer::Error,
                            json::Value, FakeWatch>;
  explicit Reaction(kinformer::internal::kit::PassedOn passed) : what_(passed) {}
  explicit Reaction(AnswerFunc change) : what_(std::move(change)) {}
  static Reaction OfDocument(Result<json::Value> document) {
    if (!document) return {std::move(document).error()};
    return {*std::move(document)};
  }

  What what_;
};

// Reacts to a request. Called on the loop: must not block. What it changes in `action` is seen by
// the next reactors; a changed object goes to the server. The log keeps the request as it was sent.
// An exception is logged and counted, and answers the request with 500.
using ReactionFunc = std::function<Reaction(Action& action)>;

// Functions for the verbs, of which unset ones pass the request on. Requests to subresources go to
// `subresource` only. Counterpart: interceptor.Funcs.
struct Interceptor {
  ReactionFunc get{};
  ReactionFunc list{};
  ReactionFunc watch{};
  ReactionFunc create{};
  ReactionFunc update{};
  ReactionFunc patch{};  // and apply
  ReactionFunc delete_{};
  ReactionFunc delete_collection{};
  ReactionFunc subresource{};  // all verbs
};

// A log of requests and the reactors to them. Copies share both. Thread-safe; nothing blocks. The
// transports that it makes may outlive it.
class Fake {
 public:
  Fake();

  // ---- Clients.
  // Returns a client of the server whose requests this sees. It has no limit of its rate.
  [[nodiscard]] Client NewClient(ApiServer& server) const;
  // Return a transport that hands to `inner` what no reactor answers, for requests on the loop of
  // `env`, which outlives it; and a wrapper that makes one.
  [[nodiscard]] std::shared_ptr<Transport> Over(Env& env, std::shared_ptr<Transport> inner) const;
  [[nodiscard]] WrapperFunc Wrapper(Env& env) const;

  // ---- The log: requests in the order in which they were sent, repetitions included.
  [[nodiscard]] std::vector<Action> Actions() const;
  // Returns those that may change something: neither get, list nor watch.
  [[nodiscard]] std::vector<Action> Writes() const;
  void ClearActions() const;

  // ---- Reactors, of which the first that does not pass a request on decides. For patterns see
  // Action::Matches. Watches have reactors of their own; "watch" here reaches none.
  void AddReactor(std::string verb, std::string resource, ReactionFunc reactor) const;
  void PrependReactor(std::string verb, std::string resource, ReactionFunc reactor) const;
  void AddWatchReactor(std::string resource, ReactionFunc reactor) const;
  void PrependWatchReactor(std::string resource, ReactionFunc reactor) const;
  // Puts reactors for all resources in front.
  void Intercept(const Interceptor& interceptor) const;
  // Removes all reactors.
  void ClearReactors() const;

 private:
  std::shared_ptr<kinformer::internal::kit::FakeCore> core_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_FAKE_H_
