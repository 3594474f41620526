#include "controller/manager/why_handler.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "kinformer/controller/causes.h"
#include "kinformer/internal/controller_figures.h"
#include "kinformer/internal/waiting_request.h"
#include "kinformer/json/json.h"

#include "controller/causes/causes_of.h"
#include "controller/endpoints/text_response.h"
#include "http/field_names.h"
#include "object/values/text_forms.h"
#include "transport/query.h"
#include "transport/responses.h"

namespace kinformer::internal {
namespace {

// A request, and all that a controller knows of it.
struct ToldRequest {
  PastOfKey past;
  std::optional<WaitingRequest> waiting{};
};

// Requests that a controller knows.
struct Told {
  std::string controller;
  std::vector<ToldRequest> requests{};
  bool fair = false;
  std::string held_back{};
  std::vector<ControllerFigures::Fight> fights{};
};

// Returns the fights over that object, and those that hold up one of the requests.
std::vector<ControllerFigures::Fight> FightsOf(const ReconcileHistory& history,
                                               std::string_view kind, const std::string& object,
                                               const std::vector<ToldRequest>& requests) {
  std::vector<ControllerFigures::Fight> fights = history.Fights();
  std::erase_if(fights, [&](const ControllerFigures::Fight& fight) {
    const std::string_view name = std::string_view(fight.kind).substr(0, fight.kind.find('.'));
    if (fight.object == object &&
        (http::SameFieldName(kind, fight.kind) || http::SameFieldName(kind, name))) {
      return false;
    }
    return std::ranges::none_of(
        requests, [&](const ToldRequest& request) { return request.past.key == fight.request; });
  });
  return fights;
}

Told Ask(const ReconcileHistory& history, const std::string& object,
         const std::function<bool(const KindInfo&)>& is_kind) {
  const bool own = history.kind() == nullptr || is_kind(*history.kind());
  Told told{.controller = history.controller()};
  for (PastOfKey& past : history.About(object, own, is_kind)) {
    told.requests.push_back({.past = std::move(past)});
  }
  WaitingAnswer waiting = history.Waiting(object, own, is_kind);
  told.fair = waiting.fair;
  told.held_back = std::move(waiting.held_back);
  for (WaitingRequest& one : waiting.requests) {
    const auto key_of = [](const ToldRequest& request) { return request.past.key; };
    auto found = std::ranges::find(told.requests, one.key, key_of);
    if (found == told.requests.end()) {
      found = told.requests.insert(found, ToldRequest{.past = {one.key, {}}});
    }
    found->waiting = std::move(one);
  }
  return told;
}

// Moments of the steady clock as times of the day.
class Clock {
 public:
  explicit Clock(const Env& env) : steady_(env.Now()), wall_(env.WallNow()) {}
  [[nodiscard]] std::string Text(SteadyTime at) const {
    const auto since = (wall_ - (steady_ - at)).time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
    std::string text;
    AppendRfc3339Micro(
        {.seconds = seconds.count(), .nanos = static_cast<std::int32_t>((since - seconds).count())},
        text);
    return text;
  }
  [[nodiscard]] SteadyTime now() const { return steady_; }

 private:
  const SteadyTime steady_;
  const WallTime wall_;
};

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

Causes TextsOf(const PastOfKey& request, const PastReconcile& past) {
  Causes causes = CausesOf(past.causes, {.key = request.key, .attempts = past.attempts});
  for (Cause& cause : causes.list) {
    if (cause.type == CauseType::kRetry) cause.error = past.last_error;
  }
  return causes;
}

json::Value JsonOf(const ControllerFigures::Fight& fight) {
  json::Value out = json::Value::MakeObject({{"request", fight.request},
                                             {"kind", fight.kind},
                                             {"object", fight.object},
                                             {"field", fight.field},
                                             {"type", fight.type},
                                             {"manager", fight.manager},
                                             {"rounds", fight.rounds},
                                             {"agoSeconds", Seconds(fight.ago)},
                                             {"underWay", fight.under_way},
                                             {"heldSeconds", Seconds(fight.held)}});
  for (const std::string& other : fight.others) out.Ensure("others").Append(other);
  return out;
}

Causes TextsOf(const WaitingRequest& waiting) {
  return CausesOf(waiting.causes,
                  {.key = waiting.key,
                   .attempts = waiting.attempts,
                   .last_error = waiting.last_error ? &*waiting.last_error : nullptr});
}

json::Value JsonOf(const Clock& clock, const Cause& cause) {
  json::Value out =
      json::Value::MakeObject({{"type", CauseTypeName(cause.type)}, {"at", clock.Text(cause.at)}});
  const auto set = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) out.Set(name, text);
  };
  set("kind", cause.kind);
  set("object", cause.object.name.empty() ? std::string() : cause.object.ToString());
  set("oldVersion", cause.old_version);
  set("newVersion", cause.new_version);
  for (const std::string& field : cause.fields) out.Ensure("fields").Append(field);
  set("manager", cause.manager);
  if (cause.attempt > 0) out.Set("attempt", cause.attempt);
  set("error", cause.error);
  out.Set("text", cause.ToString());
  return out;
}

void AddCauses(const Clock& clock, const Causes& causes, json::Value& out) {
  out.Set("causes", json::Value::MakeArray());
  for (const Cause& cause : causes.list) out.Ensure("causes").Append(JsonOf(clock, cause));
  if (causes.left_out > 0) out.Set("causesLeftOut", causes.left_out);
}

// Events of objects with their versions, from which the time is taken when a write was seen.
class Deliveries {
 public:
  void Note(const Cause& cause) {
    if (!cause.new_version.empty() && !cause.object.name.empty()) all_.push_back(cause);
  }
  [[nodiscard]] std::optional<SteadyTime> Seen(const NotedWrite& write) const {
    std::optional<SteadyTime> first;
    for (const Cause& cause : all_) {
      if (cause.new_version != write.version || cause.object != write.object ||
          cause.kind != KindName(*write.kind)) {
        continue;
      }
      if (!first || cause.at < *first) first = cause.at;
    }
    return first;
  }

 private:
  std::vector<Cause> all_;
};

json::Value JsonOf(const Clock& clock, const Deliveries& deliveries, const NotedWrite& write) {
  json::Value out = json::Value::MakeObject({{"verb", write.verb},
                                             {"kind", KindName(*write.kind)},
                                             {"object", write.object.ToString()},
                                             {"at", clock.Text(write.at)}});
  if (write.version.empty()) return out;
  out.Set("version", write.version);
  if (const auto seen = deliveries.Seen(write)) {
    out.Set("seen", clock.Text(*seen));
    out.Set("lagSeconds", std::max(0.0, Seconds(*seen - write.at)));
  }
  return out;
}

// Returns why a request is not reconciled now.
std::string ReasonOf(const Told& told, const WaitingRequest& waiting, const Causes& causes) {
  using State = WaitingRequest::State;
  switch (waiting.state) {
    case State::kParked:
      return "until a cache shows what it has written";
    case State::kRunning:
      return "until its reconcile that runs has ended";
    case State::kInLine:
      if (!told.held_back.empty()) return told.held_back;
      return told.fair ? "for a worker, by the share of its flow" : "for a worker";
    case State::kDelayed:
      break;
  }
  if (waiting.paced) return "for its pace: min_interval or settle_time";
  const CauseType why = causes.list.empty() ? CauseType::kSource : causes.list.front().type;
  if (why == CauseType::kTimer) return "requeue_after of its last reconcile";
  if (why == CauseType::kRequeue) return "rate limit: its last reconcile has asked for a requeue";
  if (waiting.attempts > 0) {
    return "rate limit: it has failed " + std::to_string(waiting.attempts) +
           (waiting.attempts == 1 ? " time" : " times");
  }
  return "a delay that was asked for when it was added";
}

std::string_view NameOf(WaitingRequest::State state) {
  switch (state) {
    case WaitingRequest::State::kInLine:
      return "in line";
    case WaitingRequest::State::kRunning:
      return "in line again";
    case WaitingRequest::State::kDelayed:
      return "delayed";
    case WaitingRequest::State::kParked:
      return "parked";
  }
  return "";
}

json::Value JsonOf(const Clock& clock, const Told& told, const WaitingRequest& waiting,
                   const Causes& causes) {
  json::Value out = json::Value::MakeObject({{"state", NameOf(waiting.state)},
                                             {"why", ReasonOf(told, waiting, causes)},
                                             {"priority", waiting.priority}});
  if (!causes.list.empty()) {
    const SteadyTime since = causes.list.front().at;
    out.Set("since", clock.Text(since));
    out.Set("seconds", std::max(0.0, Seconds(clock.now() - since)));
  }
  if (waiting.state == WaitingRequest::State::kDelayed) {
    out.Set("dueInSeconds", std::max(0.0, Seconds(waiting.ready_at - clock.now())));
  }
  if (waiting.attempts > 0) out.Set("attempts", waiting.attempts);
  if (waiting.last_error) out.Set("error", waiting.last_error->ToString());
  AddCauses(clock, causes, out);
  return out;
}

json::Value JsonOf(const Clock& clock, const Deliveries& deliveries, const PastReconcile& past,
                   const Causes& causes) {
  const bool running = past.result == "running";
  json::Value out =
      json::Value::MakeObject({{"id", past.id},
                               {"begun", clock.Text(past.begun)},
                               {"seconds", Seconds(running ? clock.now() - past.begun : past.took)},
                               {"result", past.result}});
  if (past.result == "requeue_after") out.Set("afterSeconds", Seconds(past.after));
  if (!past.error.empty()) out.Set("error", past.error);
  AddCauses(clock, causes, out);
  out.Set("writes", json::Value::MakeArray());
  for (const NotedWrite& write : past.writes) {
    out.Ensure("writes").Append(JsonOf(clock, deliveries, write));
  }
  if (past.writes_left_out > 0) out.Set("writesLeftOut", past.writes_left_out);
  return out;
}

}  // namespace

void Histories::Add(const History& history) {
  const base::MutexLock lock(mutex_);
  std::erase_if(histories_, [](const auto& weak) { return weak.expired(); });
  histories_.push_back(history);
}

std::vector<Histories::History> Histories::All() const {
  std::vector<History> all;
  const base::MutexLock lock(mutex_);
  for (const auto& weak : histories_) {
    if (History history = weak.lock()) all.push_back(std::move(history));
  }
  return all;
}

bool NamesKind(std::string_view asked, const KindInfo& kind) {
  const auto is = [&](std::string_view name) {
    if (http::SameFieldName(asked, name)) return true;
    return !kind.group.empty() &&
           http::SameFieldName(asked, std::string(name) + "." + std::string(kind.group));
  };
  return is(kind.kind) || is(kind.resource) || is(kind.singular);
}

std::string WhyJson(const Env& env, const std::vector<Histories::History>& histories,
                    std::string_view kind, const std::string& object) {
  const auto is_kind = [&](const KindInfo& one) { return NamesKind(kind, one); };
  std::vector<Told> all;
  for (const Histories::History& history : histories) {
    Told told = Ask(*history, object, is_kind);
    told.fights = FightsOf(*history, kind, object, told.requests);
    if (!told.requests.empty() || !told.fights.empty()) all.push_back(std::move(told));
  }
  std::vector<Causes> causes;
  Deliveries deliveries;
  const auto add = [&](Causes of_one) {
    for (const Cause& cause : of_one.list) deliveries.Note(cause);
    causes.push_back(std::move(of_one));
  };
  for (const Told& told : all) {
    for (const ToldRequest& request : told.requests) {
      for (const PastReconcile& past : request.past.reconciles) add(TextsOf(request.past, past));
      if (request.waiting) add(TextsOf(*request.waiting));
    }
  }
  const Clock clock(env);
  json::Value out = json::Value::MakeObject({{"kind", kind},
                                             {"object", object},
                                             {"now", clock.Text(clock.now())},
                                             {"controllers", json::Value::MakeArray()}});
  std::size_t next = 0;
  for (const Told& told : all) {
    json::Value controller = json::Value::MakeObject({{"controller", told.controller}});
    for (const ToldRequest& request : told.requests) {
      json::Value of_request = json::Value::MakeObject(
          {{"request", request.past.key}, {"reconciles", json::Value::MakeArray()}});
      for (const PastReconcile& past : request.past.reconciles) {
        of_request.Ensure("reconciles").Append(JsonOf(clock, deliveries, past, causes[next++]));
      }
      if (request.waiting) {
        of_request.Set("waiting", JsonOf(clock, told, *request.waiting, causes[next++]));
      }
      controller.Ensure("requests").Append(std::move(of_request));
    }
    for (const ControllerFigures::Fight& fight : told.fights) {
      controller.Ensure("fights").Append(JsonOf(fight));
    }
    out.Ensure("controllers").Append(std::move(controller));
  }
  return out.DumpPretty() + "\n";
}

WhyHandler::WhyHandler(Env& env, std::shared_ptr<const Histories> histories)
    : env_(env), histories_(std::move(histories)), thread_(env, "why") {}

std::unique_ptr<ResponseStream> WhyHandler::Handle(HttpRequest request) {
  const std::string_view target = request.target;
  const std::size_t mark = target.find('?');
  if (target.substr(0, mark) != kWhyPath) return endpoints::NotFoundResponse();
  const transport::Query query(mark == std::string_view::npos ? "" : target.substr(mark + 1));
  std::string kind(query.Get("kind"));
  std::string object(query.Get("object"));
  if (kind.empty() || object.empty()) {
    return endpoints::TextResponse(
        400, std::string("ask for ") + kWhyPath + "?kind=KIND&object=NAMESPACE/NAME\n");
  }
  const std::size_t bytes = target.size();
  return thread_.Answer(
      [this, kind = std::move(kind), object = std::move(object)](const std::stop_token&) {
        return [text = WhyJson(env_, histories_->All(), kind, object)] {
          HttpHeaders headers;
          headers.Add("Content-Type", "application/json");
          headers.Add("X-Content-Type-Options", "nosniff");
          return std::make_unique<transport::WholeBody>(200, std::move(headers), text);
        };
      },
      bytes);
}

}  // namespace kinformer::internal
