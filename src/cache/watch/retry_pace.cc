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

// Grows slowly: Retry-After decides, and a server that never sends it still gets some seconds of
// rest. The list gate keeps many informers from asking at the same time.
constexpr base::BackoffOptions kRefusals{
    .initial = milliseconds(500), .factor = 1.5, .cap = milliseconds(2500), .jitter = 1.0};

// Such requests cost the server very little, and clients that wait for a definition, for rights or
// for a token want their objects soon.
constexpr base::BackoffOptions kDenials{
    .initial = seconds(1), .factor = 1.5, .cap = milliseconds(4500), .jitter = 1.0};

// An attempt costs an unreachable server nothing, and its return should be noticed soon. So the
// pauses after outages stay short.
constexpr Duration kLongestOutagePause = milliseconds(2200);

// Upper limit of the random time added to Retry-After, so that clients do not return together.
constexpr Duration kMostSpread = seconds(4);

// How long a watch must last until earlier failures are forgotten, and how much longer for a large
// collection: a server could not bear lists of it in quick succession, so its back-off must not
// start over too early.
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
