#include "controller/election/lease_follower.h"

#include <compare>
#include <string_view>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/base/until.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/retry_watcher.h"

#include "cache/store/resource_version.h"

namespace kinformer::internal::election {
namespace {

using coordinationv1::Lease;

// A late watch shows states that were read before. Versions without an order differ at least.
bool IsNews(std::string_view version, std::string_view known) {
  const auto order = cache::CompareResourceVersion(version, known);
  return order ? *order == std::strong_ordering::greater : version != known;
}

}  // namespace

LeaseFollower::LeaseFollower(const Client& client, std::string space, std::string name)
    : client_(client), namespace_(std::move(space)), name_(std::move(name)) {}

Ref<Lease> LeaseFollower::Await(const Lease& known, const CallOptions& call) {
  Env& env = client_.env();
  const SteadyTime until = env.Now() + call.timeout;
  while (!call.stop.stop_requested() && env.Now() < until) {
    const Duration left = until - env.Now();
    if (!Open(known)) {
      SleepUnlessStopped(env, call.stop, left);
      return {};
    }
    auto next = watcher_->Next({.stop = call.stop, .timeout = left});
    if (next && *next) {
      const ResourceWatchEvent<Lease>& event = **next;
      if (event.type != WatchEventType::kDeleted &&
          IsNews(event.resourceVersion, known.metadata().resourceVersion())) {
        return event.object;
      }
      continue;
    }
    if (!next && (next.error().reason() == Reason::kCanceled ||
                  next.error().reason() == Reason::kDeadlineExceeded)) {
      return {};
    }
    Close(next ? Error(Reason::kStopped, "the watch has ended") : next.error());
  }
  return {};
}

bool LeaseFollower::Open(const Lease& known) {
  if (watcher_) return true;
  if (client_.env().Now() < not_before_) return false;
  auto opened = NewRetryWatcher<Lease>(
      client_.env(), std::string(known.metadata().resourceVersion()),
      NewFilteredListWatch<Lease>(client_, namespace_, [name = name_](ListOptions& options) {
        options.fieldSelector = "metadata.name=" + name;
      }));
  if (!opened) {
    Close(opened.error());
    return false;
  }
  watcher_ = *std::move(opened);
  return true;
}

void LeaseFollower::Close(const Error& why) {
  watcher_.reset();
  not_before_ = client_.env().Now() + kPause;
  if (said_) return;
  said_ = true;
  client_.env().log().Log(
      LogLevel::kInfo,
      "the lease cannot be watched: this candidate asks for it every few seconds, and takes over "
      "later than it could",
      {{"lock", namespace_ + "/" + name_}, {"err", why.ToString()}});
}

}  // namespace kinformer::internal::election
