// kinformer/apiserver/faults.h
//
// FaultPlan: deliberate faults of the embedded API server, and the requests that they hit. Rules
// can be added and removed while the server runs.
//
//   server.faults().Add({.verb = "watch", .resource = "pods", .action = FaultAction::kCutBody,
//                        .count = 3, .after_bytes = 700});
//   server.faults().Add({.verb = "list", .action = FaultAction::kRespond, .probability = 0.1,
//                        .status = 429, .retry_after = 1s});
//
// The same over HTTP, where ApiServerOptions::debug_endpoints is set: /debug/faults takes rules as
// JSON, with these names in camelCase: {"verb": "watch", "resource": "pods", "action": "cutBody",
// "count": 3, "afterBytes": 700}.

#ifndef KINFORMER_APISERVER_FAULTS_H_
#define KINFORMER_APISERVER_FAULTS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/time_span.h"

namespace kinformer::apiserver {

// Effect of a rule on the requests that it hits. Words in backquotes are fields of FaultRule.
enum class FaultAction : std::uint8_t {
  // ---- Instead of an answer.
  kRespond,  // answers with `status` (and Retry-After) instead of doing anything
  kRefuse,   // the connection breaks before an answer
  kDelay,    // answers after `delay`

  // ---- The body of an answer.
  // Breaks the response after `after_bytes`: the connection, or with HTTP/2 the stream
  // (RST_STREAM).
  kCutBody,
  kEndBody,  // ends the body after `after_bytes`, as if it were complete
  kStall,    // sends nothing after `after_bytes`, and does not end
  kGarbage,  // sends `text`, `repeat` times, instead of all that follows `after_bytes`
  kDrip,     // sends `chunk_bytes` at most every `delay`; 0: all that is ready, in one piece

  // ---- The connection, over HttpServer.
  kGoAway,           // the answer asks the client to reconnect: GOAWAY, or Connection: close
  kBreakConnection,  // breaks it after `after_bytes` of the body, with all its streams
  kStallConnection,  // keeps it open after `after_bytes`, but sends nothing on any stream
  kStreamLimit,      // allows `max_streams` streams at once from now on (HTTP/2)

  // ---- Watches.
  kEndWatch,  // ends cleanly after `after_events` events, or after `after` if that is set
  // Sends an ERROR event with `status` (410: Expired) after `after_events` events, then ends.
  kWatchError,
  kErrorObject,       // does the same with `text`, any JSON, as the event's object
  kDuplicateEvents,   // sends each event twice
  kReplayEvents,      // begins `versions` resourceVersions before the requested one
  kLoseDeletes,       // sends no DELETED events
  kForeignNamespace,  // repeats each event with the object's namespace changed to `text`
  kWrongKind,         // repeats each event with the object's kind changed to `text`
  kNoBookmarks,       // sends no bookmarks, not even the one that ends the initial events
  kNoInitialEnd,      // omits only the bookmark that ends the initial events
  // Sends no later events, but every `delay` a bookmark with the version that the watch began from.
  // A client that resumes after the watch ends misses nothing.
  kBookmarksOnly,
  kOldBookmarks,  // sends after each event a bookmark that is `versions` versions older

  // ---- What is read.
  kOldResourceVersion,  // answers a list or watch from a resourceVersion that it is too old
  kStaleRead,           // lists the state of `versions` resourceVersions ago
  // Does as kStaleRead, but not for lists of the latest state, and never returns a state older than
  // requested; also affects initial events.
  kStaleCache,
  // Shifts the Date header, and the creationTimestamp of created objects, by `skew`.
  kSkewClock,
};

// Conditions and effect of a fault. A request is hit by the first rule that matches it and wins its
// draw of `probability`. Empty conditions match every request.
struct FaultRule {
  std::string verb{};      // get, list, watch, create, update, patch, delete, deletecollection
  std::string resource{};  // plural
  std::string namespace_{};
  std::string user_agent{};  // a part of the User-Agent header
  // Match only requests for a further page, or only watches that ask for initial events.
  bool only_continue{false};
  bool only_initial_events{false};

  FaultAction action{FaultAction::kRespond};
  double probability{1};
  std::optional<std::int64_t> count{};  // hits until the rule is used up; unset: no limit
  std::int64_t skip{0};                 // matching requests before the first hit
  TimeSpan lasts{};                     // time after Add in which it hits; 0: no limit

  // Parameters of the actions, which name them in backquotes.
  int status{500};
  // kRespond: the body, instead of a Status. kForeignNamespace, kWrongKind: empty means "elsewhere"
  // and "Intruder".
  std::string text{};
  std::string content_type{};  // of kRespond's text; empty: plain text
  std::optional<std::chrono::seconds> retry_after{};
  TimeSpan delay{};
  TimeSpan after{};
  TimeSpan skew{};
  std::size_t after_bytes{0};
  std::size_t after_events{0};
  std::uint32_t max_streams{1};
  std::size_t chunk_bytes{0};
  std::size_t repeat{1};
  std::int64_t versions{1};
};

// Set of fault rules of a server. Thread-safe. Random draws use the Env, or a seed (see Seed).
class FaultPlan {
 public:
  using RuleId = std::uint64_t;

  explicit FaultPlan(Env& env) : env_(env) {}

  RuleId Add(FaultRule rule);
  // Removes a rule. Returns false if there is no such rule.
  bool Remove(RuleId id);
  void Clear();
  // Makes later draws depend on `seed` alone, and not on other users of the Env.
  void Seed(std::uint64_t seed);

  // Return the number of requests hit, by this rule or by all rules so far, removed ones included.
  [[nodiscard]] std::uint64_t hits(RuleId id) const;
  [[nodiscard]] std::uint64_t hits() const;

  // A rule and its hits so far.
  struct Listed {
    RuleId id = 0;
    FaultRule rule{};
    std::uint64_t hits = 0;
  };
  // Returns the rules in the order in which they are tried.
  [[nodiscard]] std::vector<Listed> Rules() const;

  // Properties of a request that rules are matched against.
  struct Request {
    std::string_view verb{};
    std::string_view resource{};
    std::string_view namespace_{};
    std::string_view user_agent{};
    bool continues = false;
    bool initial_events = false;
  };
  // Returns the rule that hits this request, if any, and counts the hit.
  [[nodiscard]] std::optional<FaultRule> Draw(const Request& request);

 private:
  struct Entry {
    RuleId id;
    FaultRule rule;
    SteadyTime added;
    std::uint64_t seen;
    std::uint64_t hits;
  };
  double Unit();

  Env& env_;
  mutable std::mutex mutex_;
  std::vector<Entry> rules_;
  std::optional<std::uint64_t> seed_;
  RuleId next_id_ = 1;
  std::uint64_t hits_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_H_
