#include "simulation/troubles.h"

#include <chrono>
#include <string_view>

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using apiserver::FaultRule;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array<std::string_view, kTroubles - kCuts> kNames = {
    "cuts",        "downtimes",       "http2",
    "compactions", "closed-watches",  "joins",
    "stalls",      "throws",          "restarts",
    "snapshots",   "joint-snapshots", "feeds",
    "limits",      "transforms",      "projections",
    "selectors",   "compression",     "periodic-relists",
    "forbidden",   "many-objects",    "two-servers"};

std::int64_t Few(Dice& dice) { return static_cast<std::int64_t>(1 + dice.Below(3)); }

FaultRule Refused(Dice& dice, Trust) {
  if (dice.OneIn(2)) return {.action = FaultAction::kRefuse, .count = Few(dice)};
  return {.action = FaultAction::kRefuse, .probability = 0.5, .lasts = seconds(5)};
}

FaultRule Truncated(Dice& dice, Trust) {
  FaultRule rule{.action = dice.OneIn(3) ? FaultAction::kEndBody : FaultAction::kCutBody,
                 .count = Few(dice),
                 .after_bytes = dice.Below(3000)};
  if (dice.OneIn(2)) rule.verb = "watch";
  return rule;
}

FaultRule EndedWatch(Dice& dice, Trust) {
  FaultRule rule{.verb = "watch", .action = FaultAction::kEndWatch, .count = Few(dice)};
  if (dice.OneIn(2)) {
    rule.after_events = dice.Below(6);
  } else {
    rule.after = milliseconds(1) + dice.Milliseconds(2000);
  }
  return rule;
}

FaultRule TooOld(Dice& dice, Trust) {
  switch (dice.Below(3)) {
    case 0:
      return {.verb = "watch",
              .action = FaultAction::kWatchError,
              .count = Few(dice),
              .status = 410,
              .after_events = dice.Below(4)};
    case 1:
      return {.verb = "watch", .action = FaultAction::kRespond, .count = Few(dice), .status = 410};
    default:
      return {.action = FaultAction::kOldResourceVersion, .count = Few(dice)};
  }
}

FaultRule TooOldToContinue(Dice& dice, Trust) {
  return {.verb = "list",
          .only_continue = true,
          .action = FaultAction::kOldResourceVersion,
          .count = Few(dice),
          .skip = static_cast<std::int64_t>(dice.Below(3))};
}

FaultRule OtherErrorEvent(Dice& dice, Trust) {
  static constexpr const char* kObjects[] = {
      R"({"a":1})",
      R"("x")",
      "null",
      "[]",
      "{}",
      "17",
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}})"};
  static constexpr int kStatuses[] = {500, 504, 403};
  FaultRule rule{.verb = "watch", .count = Few(dice), .after_events = dice.Below(4)};
  if (dice.OneIn(2)) {
    rule.action = FaultAction::kErrorObject;
    rule.text = dice.OneOf(kObjects);
  } else {
    rule.action = FaultAction::kWatchError;
    rule.status = dice.OneOf(kStatuses);
  }
  return rule;
}

FaultRule TooManyRequests(Dice& dice, Trust) {
  FaultRule rule{.action = FaultAction::kRespond, .count = Few(dice), .status = 429};
  if (dice.OneIn(2)) rule.text = "too many requests";
  if (dice.OneIn(2)) rule.retry_after = seconds(1 + dice.Below(2));
  return rule;
}

FaultRule ServerError(Dice& dice, Trust) {
  static constexpr int kStatuses[] = {500, 502, 503, 504};
  FaultRule rule{
      .action = FaultAction::kRespond, .count = Few(dice), .status = dice.OneOf(kStatuses)};
  if (dice.OneIn(2)) {
    rule.text = "<html><body><h1>Bad Gateway</h1></body></html>";
    rule.content_type = "text/html";
  }
  return rule;
}

FaultRule NotLetIn(Dice& dice, Trust trust) {
  // If lists are forbidden, the consistency check cannot run, and would not find invented objects.
  // So this is only used with an honest server.
  const bool forbidden = trust == Trust::kHonest && dice.OneIn(2);
  return {.action = FaultAction::kRespond,
          .lasts = seconds(1 + dice.Below(8)),
          .status = forbidden ? 403 : 401};
}

FaultRule NotThere(Dice& dice, Trust) {
  FaultRule rule{
      .action = FaultAction::kRespond, .lasts = seconds(1 + dice.Below(15)), .status = 404};
  if (dice.OneIn(2)) rule.text = "404 page not found\n";
  return rule;
}

FaultRule Bookmarks(Dice& dice, Trust) {
  switch (dice.Below(3)) {
    case 0:
      return {.verb = "watch", .action = FaultAction::kNoBookmarks, .count = Few(dice)};
    case 1:
      return {.verb = "watch",
              .action = FaultAction::kBookmarksOnly,
              .count = 1,
              .delay = milliseconds(200) + dice.Milliseconds(2000)};
    default:
      return {.verb = "watch",
              .action = FaultAction::kOldBookmarks,
              .count = Few(dice),
              .versions = static_cast<std::int64_t>(1 + dice.Below(20))};
  }
}

FaultRule NoWatchList(Dice& dice, Trust) {
  FaultRule rule{.verb = "watch", .only_initial_events = true, .count = Few(dice)};
  if (dice.OneIn(2)) {
    rule.action = FaultAction::kNoInitialEnd;
  } else {
    rule.action = FaultAction::kRespond;
    rule.status = dice.OneIn(2) ? 422 : 400;
  }
  return rule;
}

FaultRule Stalled(Dice& dice, Trust) {
  FaultRule rule{.action = FaultAction::kStall, .count = 1, .after_bytes = dice.Below(2500)};
  rule.verb = dice.OneIn(3) ? "list" : "watch";
  return rule;
}

FaultRule EventsTwice(Dice& dice, Trust) {
  return {.verb = "watch", .action = FaultAction::kDuplicateEvents, .count = Few(dice)};
}

FaultRule EventsAgain(Dice& dice, Trust) {
  return {.verb = "watch",
          .action = FaultAction::kReplayEvents,
          .count = Few(dice),
          .versions = static_cast<std::int64_t>(1 + dice.Below(8))};
}

FaultRule LostDeletes(Dice& dice, Trust) {
  return {.verb = "watch", .action = FaultAction::kLoseDeletes, .count = Few(dice)};
}

FaultRule Garbage(Dice& dice, Trust) {
  static constexpr const char* kTexts[] = {"{{{", "\x01\xff\xfe", "}\n",
                                           R"({"type":"NEWS","object":{}})",
                                           R"({"type":"ADDED","object":17})"};
  FaultRule rule{.action = FaultAction::kGarbage,
                 .count = Few(dice),
                 .text = dice.OneOf(kTexts),
                 .after_bytes = dice.Below(1500)};
  if (dice.OneIn(4)) {
    rule.text = "[";
    rule.repeat = 5000;
  }
  return rule;
}

FaultRule StaleList(Dice& dice, Trust) {
  return {.verb = "list",
          .action = FaultAction::kStaleRead,
          .count = Few(dice),
          .versions = static_cast<std::int64_t>(1 + dice.Below(9))};
}

FaultRule Drip(Dice& dice, Trust) {
  if (dice.OneIn(2)) {
    return {.action = FaultAction::kDrip,
            .count = 1,
            .delay = milliseconds(1),
            .chunk_bytes = 8 + dice.Below(100)};
  }
  return {.action = FaultAction::kDrip, .count = Few(dice), .delay = seconds(1 + dice.Below(3))};
}

FaultRule Foreign(Dice& dice, Trust) {
  // Objects of another namespace can only be detected by an informer of one namespace.
  if (dice.OneIn(2)) {
    return {.verb = "watch",
            .namespace_ = "default",
            .action = FaultAction::kForeignNamespace,
            .count = Few(dice)};
  }
  return {.verb = "watch",
          .action = FaultAction::kWrongKind,
          .count = Few(dice),
          .text = dice.OneIn(2) ? "Secret" : ""};
}

FaultRule StaleCache(Dice& dice, Trust) {
  return {.action = FaultAction::kStaleCache,
          .count = Few(dice),
          .versions = static_cast<std::int64_t>(1 + dice.Below(6))};
}

FaultRule WrongClock(Dice& dice, Trust) {
  return {.action = FaultAction::kSkewClock,
          .count = Few(dice),
          .skew = hours(dice.OneIn(2) ? 24 * 3650 : -24 * 3650)};
}

// Without F17, F22 and F23, which are more than a rule of the server.
constexpr DrawnFault kFaults[] = {
    {1, Trust::kHonest, Refused},
    {2, Trust::kHonest, Truncated},
    {3, Trust::kHonest, EndedWatch},
    {4, Trust::kHonest, TooOld},
    {5, Trust::kHonest, TooOldToContinue},
    {6, Trust::kHonest, OtherErrorEvent},
    {7, Trust::kHonest, TooManyRequests},
    {8, Trust::kHonest, ServerError},
    {9, Trust::kHonest, NotLetIn},
    {10, Trust::kHonest, NotThere},
    {11, Trust::kHonest, Bookmarks},
    {12, Trust::kHonest, NoWatchList},
    {13, Trust::kHonest, Stalled},
    {14, Trust::kHonest, EventsTwice},
    {14, Trust::kGoesBack, EventsAgain},
    {15, Trust::kLies, LostDeletes},
    {16, Trust::kLies, Garbage},
    {18, Trust::kGoesBack, StaleList},
    {19, Trust::kHonest, Drip},
    {20, Trust::kLies, Foreign},
    {21, Trust::kHonest, StaleCache},
    {24, Trust::kHonest, WrongClock},
};

}  // namespace

std::span<const DrawnFault> DrawnFaults() { return kFaults; }

std::uint64_t DrawTroubles(Dice& dice, Trust trust) {
  // The number of troubles varies: a problem that shows with one trouble may be hidden by others.
  const std::uint64_t rarity = 1 + dice.Below(4);
  std::uint64_t drawn = 0;
  for (const DrawnFault& fault : kFaults) {
    if (fault.trust <= trust && dice.OneIn(rarity)) drawn |= BitOf(fault.number);
  }
  if (trust == Trust::kGoesBack && dice.OneIn(2)) drawn |= BitOf(kRestores);
  if (dice.OneIn(4)) drawn |= BitOf(kConflicts);
  for (int trouble = kCuts; trouble < kTroubles; ++trouble) {
    const bool of_program = trouble >= kJoins;
    const bool dear = trouble == kManyObjects;
    if (dice.OneIn(dear ? 40 : of_program ? 2 : rarity)) drawn |= BitOf(trouble);
  }
  // The second server is never restored and never dishonest. It does not get the writes of clients,
  // so kConflicts is off with it.
  if (trust != Trust::kHonest) drawn &= ~BitOf(kTwoServers);
  if ((drawn & BitOf(kTwoServers)) != 0) drawn &= ~BitOf(kConflicts);
  return drawn;
}

std::string NamesOf(std::uint64_t troubles) {
  std::string names;
  for (int trouble = 1; trouble < kTroubles; ++trouble) {
    if ((troubles & BitOf(trouble)) == 0) continue;
    if (!names.empty()) names += ' ';
    names += trouble < kCuts ? "F" + std::to_string(trouble)
                             : std::string(kNames[static_cast<std::size_t>(trouble - kCuts)]);
  }
  return names.empty() ? "none" : names;
}

}  // namespace kinformer::testing
