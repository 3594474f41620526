#include "cache/pipeline/retry_pace.h"

#include <algorithm>
#include <utility>

#include "cache/pipeline/failure_kind.h"
#include "client/retry_after.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::BackoffOptions kRelists{
    .initial = milliseconds(500), .cap = seconds(30), .jitter = 1.0};

// Grows slowly: the server's Retry-After is what counts, and a server that never sends one has ten
// seconds' peace in the end.
constexpr base::BackoffOptions kRefusals{
    .initial = milliseconds(500), .factor = 1.5, .cap = seconds(10), .jitter = 1.0};

// A resource that the server does not have costs it next to nothing to be asked for, and who waits
// for a definition wants its objects soon.
constexpr base::BackoffOptions kAbsences{
    .initial = seconds(1), .factor = 1.5, .cap = seconds(5), .jitter = 1.0};

}  // namespace

RetryPace::RetryPace(Env& env, base::BackoffOptions failures, std::string name)
    : env_(env),
      name_(std::move(name)),
      failures_(env, failures),
      relists_(env, kRelists),
      refusals_(env, kRefusals),
      absences_(env, kAbsences) {}

Duration RetryPace::BySize(std::size_t objects) {
  constexpr std::size_t kSmall = 100;
  constexpr std::size_t kLarge = 100'000;
  if (objects < kSmall) return Duration(0);
  const double share = static_cast<double>(std::min(objects, kLarge)) / kLarge;
  return base::Jitter(env_, base::Scaled(seconds(5), share), 1.0);
}

Duration RetryPace::After(const Error& error) {
  const FailureKind kind = KindOf(error);
  if (kind == FailureKind::kExpired || kind == FailureKind::kFuture) return BeforeRelist();
  if (error.http_status() == 404) return absences_.Next();
  const Duration own = kind == FailureKind::kAsksToWait ? refusals_.Next() : failures_.Next();
  const Duration asked = client::PauseAfter(env_, error, name_);
  return std::max(own, base::Jitter(env_, asked, 1.0));
}

}  // namespace kinformer::internal::cache
