#include "simulation/server_pair.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string_view Parameter(std::string_view target, std::string_view name) {
  std::size_t at = target.find('?');
  while (at != std::string_view::npos) {
    const std::string_view rest = target.substr(at + 1);
    const std::string_view one = rest.substr(0, rest.find('&'));
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) {
      return one.substr(name.size() + 1);
    }
    at = target.find('&', at + 1);
  }
  return {};
}

// With two servers, history is kept by number only: by age, each would drop it at its own time.
apiserver::ApiServerOptions Options(apiserver::ApiServerOptions options, bool two) {
  if (two) options.history_age = std::chrono::hours(100);
  return options;
}

}  // namespace

ServerPair::ServerPair(Env& env, const apiserver::ApiServerOptions& options, std::uint64_t seed,
                       bool two)
    : env_(env),
      dice_(seed, 12),
      first_env_(env),
      second_env_(env),
      first_(two ? static_cast<Env&>(first_env_) : env, Options(options, two)) {
  if (two) second_ = std::make_unique<apiserver::ApiServer>(second_env_, Options(options, two));
}

std::int64_t ServerPair::oldest_version() const {
  const std::int64_t first = first_.current_resource_version();
  return second_ == nullptr ? first : std::min(first, second_->current_resource_version());
}

std::uint64_t ServerPair::requests() const {
  return first_.Stats().requests + (second_ == nullptr ? 0 : second_->Stats().requests);
}

Result<json::Value> ServerPair::DoNow(ServerEnv& env, apiserver::ApiServer& server,
                                      const Change& change, std::uint64_t number, WallTime when) {
  env.BeginChange(number, when);
  Result<json::Value> done = change(server);
  env.EndChange();
  return done;
}

Result<json::Value> ServerPair::Do(Change change) {
  if (second_ == nullptr) return change(first_);
  const std::uint64_t number = ++changes_;
  const WallTime when = env_.WallNow();
  Result<json::Value> done = DoNow(first_env_, first_, change, number, when);
  // Most changes arrive soon; changes behind a late one wait for it.
  const Duration lag = calm_             ? Duration(0)
                       : dice_.OneIn(40) ? seconds(1) + Duration(dice_.Milliseconds(20'000))
                                         : Duration(dice_.Milliseconds(300));
  later_.push_back(
      {number, when, env_.Now() + lag, std::move(change), first_.current_resource_version()});
  HearSoon();
  return done;
}

void ServerPair::HearSoon() {
  if (hears_.armed() || later_.empty()) return;
  hears_ = env_.loop().RunAt(later_.front().heard, [this] {
    hears_ = Timer();
    HearWhatIsDue();
    HearSoon();
  });
}

void ServerPair::HearWhatIsDue() {
  while (!later_.empty() && (calm_ || later_.front().heard <= env_.Now())) {
    const Later next = std::move(later_.front());
    later_.pop_front();
    (void)DoNow(second_env_, *second_, next.change, next.number, next.when);
    apart_ = apart_ || second_->current_resource_version() != next.version;
  }
}

Result<json::Value> ServerPair::Put(const GroupVersionResource& resource,
                                    const json::Value& object) {
  return Do([resource, object](apiserver::ApiServer& server) {
    const json::Value& metadata = object["metadata"];
    const ObjectName name{metadata["namespace"].StringOrEmpty(), metadata["name"].StringOrEmpty()};
    return server.Get(resource, name).ok() ? server.Update(resource, object)
                                           : server.Create(resource, object);
  });
}

Result<void> ServerPair::Delete(const GroupVersionResource& resource, const ObjectName& name) {
  const Result<json::Value> done =
      Do([resource, name](apiserver::ApiServer& server) -> Result<json::Value> {
        if (Result<void> deleted = server.Delete(resource, name); !deleted) return deleted.error();
        return json::Value();
      });
  if (!done) return done.error();
  return {};
}

void ServerPair::Compact(std::int64_t version) {
  (void)Do([version](apiserver::ApiServer& server) -> Result<json::Value> {
    server.Compact(version);
    return json::Value();
  });
}

void ServerPair::CloseWatches() {
  first_.CloseWatches();
  if (second_ != nullptr) second_->CloseWatches();
}

void ServerPair::Calm() {
  calm_ = true;
  hears_ = Timer();
  HearWhatIsDue();
}

bool ServerPair::GoesToTheSecond(const HttpRequest& request) {
  if (second_ == nullptr || request.method != "GET") return false;
  // Requests without a version, and continued lists, go to the first, which has everything.
  const std::string_view from = Parameter(request.target, "resourceVersion");
  if (from.empty() || !Parameter(request.target, "continue").empty()) return false;
  return dice_.OneIn(2);
}

std::unique_ptr<ResponseStream> ServerPair::Handle(HttpRequest request) {
  if (!GoesToTheSecond(request)) return first_.Handle(std::move(request));
  if (!later_.empty()) ++from_behind_;
  return second_->Handle(std::move(request));
}

}  // namespace kinformer::testing
