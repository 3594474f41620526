#include "simulation/recovery_bound.h"

#include <algorithm>
#include <chrono>

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kWell = seconds(5);

// What each trouble may still be felt for after its end, where that is longer, and for how long
// after it has bitten.
struct Aftermath {
  int trouble;
  Duration bound;
  Duration lasts;
  // Failures in a row are followed by pauses that grow with the time that they take.
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
    // The end of the initial events is waited for.
    {12, seconds(75), minutes(2)},
    // A server that says nothing any more is left when the watch's time is over; a list's is a
    // minute.
    {13, minutes(17), minutes(20)},
    // What is made up or left out is found by a comparison, and that begins each minute; where
    // lists do not help, they become rare.
    {14, minutes(45), minutes(60)},
    {15, minutes(45), minutes(60)},
    {16, minutes(45), minutes(60)},
    {18, minutes(45), minutes(60)},
    {20, minutes(45), minutes(60)},
    {19, seconds(20), minutes(1)},  // what drips goes on to
    {kRestores, seconds(10), minutes(2), true},
    {RecoveryBound::kOvertaken, minutes(45), minutes(60)},
    {kHttp2, seconds(50), seconds(50)},  // a connection that froze
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
