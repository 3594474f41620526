#include "cache/watch/retry_pace.h"

#include <algorithm>
#include <utility>

#include "cache/watch/failure_kind.h"
#include "client/retry_after.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::BackoffOptions kRelists{
    .initial = milliseconds(500), .cap = seconds(30), .jitter = 1.0};

// Grows slowly: the server's Retry-After is what counts, and a server that never sends one has some
// seconds' peace in the end. The list gate sees to it that many informers do not ask all the same.
constexpr base::BackoffOptions kRefusals{
    .initial = milliseconds(500), .factor = 1.5, .cap = milliseconds(2500), .jitter = 1.0};

// A resource that the server does not have, or that we may not see, costs it next to nothing to be
// asked for, and who waits for a definition, for rights or for a token wants its objects soon.
constexpr base::BackoffOptions kDenials{
    .initial = seconds(1), .factor = 1.5, .cap = milliseconds(4500), .jitter = 1.0};

// Nothing that cannot be reached has any work with who tries, and what can be reached again is to
// be noticed.
constexpr Duration kLongestOutagePause = milliseconds(2200);

// The most that comes on top of a Retry-After so that not all return at once.
constexpr Duration kMostSpread = seconds(4);

// How long a watch has to last until what went wrong before it is forgotten, and how much longer
// where the collection has so many objects that listing them all the time would be hard on the
// server.
constexpr Duration kProven = seconds(3);
constexpr Duration kProvenIfLarge = seconds(20);
constexpr std::size_t kLarge = 100'000;

double ShareOfLarge(std::size_t objects) {
  return static_cast<double>(std::min(objects, kLarge)) / kLarge;
}

base::BackoffOptions OfOutages(base::BackoffOptions failures) {
  const bool capped = failures.cap > Duration(0);
  failures.cap = capped ? std::min(failures.cap, kLongestOutagePause) : kLongestOutagePause;
  return failures;
}

bool IsDenial(const Error& error) {
  switch (error.http_status()) {
    case 401:
    case 403:
    case 404:
      return true;
    default:
      return false;
  }
}

}  // namespace

RetryPace::RetryPace(Env& env, base::BackoffOptions failures, std::string name)
    : env_(env),
      name_(std::move(name)),
      failures_(env, failures),
      outages_(env, OfOutages(failures)),
      relists_(env, kRelists),
      refusals_(env, kRefusals),
      denials_(env, kDenials) {}

void RetryPace::WatchLasted(Duration time, std::size_t objects) {
  if (time < kProven + base::Scaled(kProvenIfLarge, ShareOfLarge(objects))) return;
  for (base::BackoffManager* pace : {&failures_, &outages_, &relists_, &refusals_, &denials_}) {
    pace->Reset();
  }
}

Duration RetryPace::BySize(std::size_t objects) {
  constexpr std::size_t kSmall = 100;
  if (objects < kSmall) return Duration(0);
  return base::Jitter(env_, base::Scaled(seconds(5), ShareOfLarge(objects)), 1.0);
}

Duration RetryPace::Own(FailureKind kind, const Error& error) {
  if (kind == FailureKind::kAsksToWait) return refusals_.Next();
  if (kind == FailureKind::kUnreachable) return AfterOutage();
  return IsDenial(error) ? denials_.Next() : failures_.Next();
}

Duration RetryPace::AfterOutage() {
  const Duration pause = outages_.Next();
  if (!unanswered_since_) return pause;
  return std::max(pause - (env_.Now() - *unanswered_since_), pause / 4);
}

Duration RetryPace::After(const Error& error) {
  const FailureKind kind = KindOf(error);
  if (kind == FailureKind::kExpired || kind == FailureKind::kFuture) return BeforeRelist();
  const Duration own = Own(kind, error);
  const Duration asked = client::PauseAfter(env_, error, name_);
  const Duration spread = base::Scaled(std::min(asked, kMostSpread), RandomUnit(env_));
  return std::max(own, asked + spread);
}

}  // namespace kinformer::internal::cache
