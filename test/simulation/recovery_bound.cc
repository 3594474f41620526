#include "simulation/recovery_bound.h"

#include <algorithm>
#include <chrono>

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kWell = seconds(5);

// Effects of a trouble after its end: the limit for the recovery, if it is longer than usual, and
// how long it applies.
struct Aftermath {
  int trouble;
  Duration bound;
  Duration lasts;
  // Repeated failures cause pauses that grow with the duration of the failures.
  bool grows = false;
};
constexpr Aftermath kAftermaths[] = {
    {2, kWell, minutes(2), true},  // garbled ends
    {4, kWell, minutes(2), true},  // 410
    {5, kWell, minutes(2), true},
    {6, kWell, minutes(2), true},
    {7, seconds(7), minutes(1)},  // Retry-After is at most two seconds
    {8, kWell, minutes(2), true},
    {9, seconds(10), minutes(1)},   // 401, 403
    {10, seconds(10), minutes(1)},  // 404
    // The informer waits for the end of the initial events.
    {12, seconds(75), minutes(2)},
    // An informer gives up a silent server when the timeout of its watch is over; the timeout of a
    // list is one minute.
    {13, minutes(17), minutes(20)},
    // Invented or missing objects are found by the consistency check, once a minute; if lists do
    // not help, checks become rarer.
    {14, minutes(45), minutes(60)},
    {15, minutes(45), minutes(60)},
    {16, minutes(45), minutes(60)},
    {18, minutes(45), minutes(60)},
    {20, minutes(45), minutes(60)},
    {19, seconds(20), minutes(1)},  // slow data continues until it is complete
    {kRestores, seconds(10), minutes(2), true},
    {RecoveryBound::kOvertaken, minutes(45), minutes(60)},
    {kHttp2, seconds(50), seconds(50)},  // a frozen connection
    {kCompactions, kWell, minutes(2), true},
    {kDowntimes, kWell, minutes(2), true},
};

constexpr Duration kLongestGrown = seconds(62);

}  // namespace

RecoveryBound::Verdict RecoveryBound::Judge(SteadyTime now) const {
  Verdict worst{kWell, 0};
  for (const Aftermath& after : kAftermaths) {
    const SteadyTime bit = last_[static_cast<std::size_t>(after.trouble)];
    if (bit == SteadyTime{} || now - bit > after.lasts) continue;
    Duration bound = after.bound;
    if (after.grows) {
      const Duration ill = now - std::min(now, std::max(well_, now - minutes(2)));
      bound = std::max(bound, std::min(kLongestGrown, 2 * ill + seconds(2)));
    }
    if (bound > worst.bound) worst = {bound, after.trouble};
  }
  return worst;
}

Duration RecoveryBound::After(SteadyTime now) const { return Judge(now).bound; }

std::string RecoveryBound::Why(SteadyTime now) const {
  const int trouble = Judge(now).trouble;
  if (trouble == kOvertaken) return "a restored server that has overtaken";
  return trouble == 0 ? std::string() : NamesOf(BitOf(trouble));
}

}  // namespace kinformer::testing
