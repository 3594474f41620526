#include "kinformer/testing/fake.h"

#include <algorithm>
#include <mutex>
#include <string_view>

#include "kinformer/testing/api_server.h"

#include "base/core/user_call.h"
#include "testing/fake_answer.h"
#include "testing/fake_request.h"
#include "testing/watch_events.h"

namespace kinformer {
namespace internal::kit {
namespace {

using testing::Action;
using testing::AnswerFunc;
using testing::FakeWatch;
using testing::Reaction;
using testing::ReactionFunc;

}  // namespace

// State that copies of a Fake and their transports share. Thread-safe.
class FakeCore {
 public:
  struct Reactor {
    std::string verb;
    std::string resource;
    bool for_watches;
    ReactionFunc react;
    // Empty, or whether it is for subresources only, or for none.
    std::optional<bool> subresource{};
  };

  void Add(Reactor reactor, bool in_front) {
    const std::scoped_lock lock(mutex_);
    reactors_.insert(in_front ? reactors_.begin() : reactors_.end(),
                     std::make_shared<const Reactor>(std::move(reactor)));
  }
  void ClearReactors() {
    const std::scoped_lock lock(mutex_);
    reactors_.clear();
  }
  [[nodiscard]] std::vector<Action> Actions() const {
    const std::scoped_lock lock(mutex_);
    return actions_;
  }
  void ClearActions() {
    const std::scoped_lock lock(mutex_);
    actions_.clear();
  }

  // Notes the action, and returns what the reactors want, which may change it.
  Reaction React(Env& env, Action& action) {
    for (const auto& reactor : NotedFor(action)) {
      // An earlier one may have changed what the action is about.
      if (!Covers(*reactor, action)) continue;
      Result<Reaction> reaction = base::CallUserForResult(
          env, "a reactor of a Fake", [&]() -> Result<Reaction> { return reactor->react(action); },
          [&] { return action.verb + " " + action.resource.resource; });
      if (!reaction) return reaction.error();
      if (!std::holds_alternative<PassedOn>(reaction->what_)) return *std::move(reaction);
    }
    return Reaction::PassOn();
  }

 private:
  static bool Covers(const Reactor& reactor, const Action& action) {
    if (reactor.for_watches != (action.verb == "watch")) return false;
    if (reactor.subresource && *reactor.subresource == action.subresource.empty()) return false;
    return action.Matches(reactor.verb, reactor.resource);
  }
  std::vector<std::shared_ptr<const Reactor>> NotedFor(const Action& action) {
    const std::scoped_lock lock(mutex_);
    actions_.push_back(action);
    return reactors_;
  }

  mutable std::mutex mutex_;
  std::vector<Action> actions_;
  std::vector<std::shared_ptr<const Reactor>> reactors_;
};

class FakeTransport final : public ForwardingTransport {
 public:
  FakeTransport(Env& env, std::shared_ptr<FakeCore> core, std::shared_ptr<Transport> inner)
      : ForwardingTransport(std::move(inner)), env_(env), core_(std::move(core)) {}

  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    Action action = ActionOf(request);
    const json::Value sent = action.object;
    Reaction reaction = core_->React(env_, action);
    if (action.object != sent) SetBody(action.object, request);
    if (const auto* error = std::get_if<Error>(&reaction.what_)) {
      return NewAnsweredCall(env_, AnswerOf(*error), receiver);
    }
    if (const auto* object = std::get_if<json::Value>(&reaction.what_)) {
      return NewAnsweredCall(env_, AnswerOf(*object, request.method == "POST"), receiver);
    }
    if (const auto* watch = std::get_if<FakeWatch>(&reaction.what_)) {
      return StartWatch(request, *watch, receiver);
    }
    auto* change = std::get_if<AnswerFunc>(&reaction.what_);
    if (change == nullptr || !*change || action.verb == "watch") {
      return inner().Start(std::move(request), receiver);
    }
    AskForJson(request);
    return NewChangedCall(env_, inner(), std::move(request), std::move(*change), receiver);
  }

 private:
  std::unique_ptr<HttpCall> StartWatch(const HttpRequest& request, const FakeWatch& watch,
                                       ResponseReceiver& receiver) {
    if (!AsksForInitialEvents(request)) {
      return NewWatchAnswer(env_, watch, request.timeout, receiver);
    }
    Error refused(Reason::kInvalid, "sendInitialEvents is forbidden: a FakeWatch has no state");
    return NewAnsweredCall(env_, AnswerOf(refused.WithHttpStatus(422)), receiver);
  }

  Env& env_;
  const std::shared_ptr<FakeCore> core_;
};

}  // namespace internal::kit

namespace testing {

using kinformer::internal::kit::FakeCore;
using kinformer::internal::kit::FakeTransport;

Fake::Fake() : core_(std::make_shared<FakeCore>()) {}

Client Fake::NewClient(ApiServer& server) const {
  return Client::ForTransport(server.env(), Over(server.env(), server.transport()), {.qps = -1});
}

std::shared_ptr<Transport> Fake::Over(Env& env, std::shared_ptr<Transport> inner) const {
  return std::make_shared<FakeTransport>(env, core_, std::move(inner));
}

WrapperFunc Fake::Wrapper(Env& env) const {
  return [fake = *this, &env](std::shared_ptr<Transport> inner) {
    return fake.Over(env, std::move(inner));
  };
}

std::vector<Action> Fake::Actions() const { return core_->Actions(); }

std::vector<Action> Fake::Writes() const {
  std::vector<Action> actions = core_->Actions();
  std::erase_if(actions, [](const Action& action) {
    return action.verb == "get" || action.verb == "list" || action.verb == "watch";
  });
  return actions;
}

void Fake::ClearActions() const { core_->ClearActions(); }

void Fake::AddReactor(std::string verb, std::string resource, ReactionFunc reactor) const {
  core_->Add({std::move(verb), std::move(resource), false, std::move(reactor)}, false);
}

void Fake::PrependReactor(std::string verb, std::string resource, ReactionFunc reactor) const {
  core_->Add({std::move(verb), std::move(resource), false, std::move(reactor)}, true);
}

void Fake::AddWatchReactor(std::string resource, ReactionFunc reactor) const {
  core_->Add({"watch", std::move(resource), true, std::move(reactor)}, false);
}

void Fake::PrependWatchReactor(std::string resource, ReactionFunc reactor) const {
  core_->Add({"watch", std::move(resource), true, std::move(reactor)}, true);
}

void Fake::Intercept(const Interceptor& interceptor) const {
  const std::pair<std::string_view, const ReactionFunc&> verbs[] = {
      {"get", interceptor.get},        {"list", interceptor.list},
      {"watch", interceptor.watch},    {"create", interceptor.create},
      {"update", interceptor.update},  {"patch", interceptor.patch},
      {"delete", interceptor.delete_}, {"deletecollection", interceptor.delete_collection}};
  for (const auto& [verb, function] : verbs) {
    if (function) core_->Add({std::string(verb), "*", verb == "watch", function, false}, true);
  }
  if (interceptor.subresource) core_->Add({"*", "*", false, interceptor.subresource, true}, true);
}

void Fake::ClearReactors() const { core_->ClearReactors(); }

}  // namespace testing
}  // namespace kinformer
