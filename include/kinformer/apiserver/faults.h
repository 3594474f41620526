// kinformer/apiserver/faults.h
//
// FaultPlan: what the embedded API server does wrong, on purpose, and to whom. Rules can be added
// and taken away while the server runs.
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

#include "kinformer/env.h"

namespace kinformer::apiserver {

// What a rule does to the requests that it hits. Words in backquotes are fields of FaultRule.
enum class FaultAction : std::uint8_t {
  // ---- Instead of an answer.
  kRespond,  // answers with `status` (and Retry-After) instead of doing anything
  kRefuse,   // the connection breaks before an answer
  kDelay,    // answers after `delay`

  // ---- The body of an answer.
  // Breaks the response after `after_bytes`: the connection, or with HTTP/2 the stream
  // (RST_STREAM).
  kCutBody,
  kEndBody,  // ends the body after `after_bytes` as if that were all
  kStall,    // says nothing more after `after_bytes`, and does not end
  kGarbage,  // `text`, `repeat` times, in the place of what comes after `after_bytes`
  kDrip,     // every `delay` at most `chunk_bytes`; 0: all that there is by then, in one piece

  // ---- The connection, over HttpServer.
  kGoAway,           // the answer asks the client to leave: GOAWAY, or Connection: close
  kBreakConnection,  // breaks it after `after_bytes` of the body, with all that it carries
  kStallConnection,  // after `after_bytes` it stays open and says nothing more, whatever it carries
  kStreamLimit,      // from now on it takes `max_streams` at once (HTTP/2)

  // ---- Watches.
  kEndWatch,  // a clean end after `after_events` events, or once `after` has passed if that is set
  // An ERROR event with `status` (410: Expired) after `after_events` events, and the end.
  kWatchError,
  kErrorObject,       // the same with `text`, which is any JSON, as the event's object
  kDuplicateEvents,   // each event twice
  kReplayEvents,      // begins `versions` resourceVersions before the one that is asked for
  kLoseDeletes,       // DELETED events are left out
  kForeignNamespace,  // after each event another, of the same object in the namespace `text`
  kWrongKind,         // after each event another, of the same object as a `text`
  kNoBookmarks,       // no bookmarks, not even the one that ends the initial events
  kNoInitialEnd,      // only that one is left out
  // No later events, but every `delay` a bookmark of the version it began from; as soon as the
  // watch ends, whoever resumes misses nothing.
  kBookmarksOnly,
  kOldBookmarks,  // after each event a bookmark that is `versions` resourceVersions older

  // ---- What is read.
  kOldResourceVersion,  // a list or watch from a resourceVersion is told that it is too old
  kStaleRead,           // lists are what they were `versions` resourceVersions ago
  // As kStaleRead, but only lists that do not ask for the latest, and not older than they ask for;
  // and initial events.
  kStaleCache,
  // The Date header, and the creationTimestamp of what the request creates, are wrong by `skew`.
  kSkewClock,
};

// A request is hit by the first rule that fits it and whose dice fall so. Empty fields fit
// everything.
struct FaultRule {
  std::string verb{};      // get, list, watch, create, update, patch, delete, deletecollection
  std::string resource{};  // plural
  std::string namespace_{};
  std::string user_agent{};  // a part of the User-Agent header
  // Only requests that page on, or only watches that ask for initial events.
  bool only_continue{false};
  bool only_initial_events{false};

  FaultAction action{FaultAction::kRespond};
  double probability{1};
  std::optional<std::int64_t> count{};  // how many requests it hits before it is spent
  std::int64_t skip{0};                 // how many fitting requests pass before the first hit
  Duration lasts{0};                    // for how long after Add it hits; 0: for ever

  // What the actions name in backquotes.
  int status{500};
  // kRespond: a body in place of a Status. kForeignNamespace, kWrongKind: empty is "elsewhere" and
  // "Intruder".
  std::string text{};
  std::string content_type{};  // of kRespond's text; empty: plain text
  std::optional<std::chrono::seconds> retry_after{};
  Duration delay{0};
  Duration after{0};
  Duration skew{0};
  std::size_t after_bytes{0};
  std::size_t after_events{0};
  std::uint32_t max_streams{1};
  std::size_t chunk_bytes{0};
  std::size_t repeat{1};
  std::int64_t versions{1};
};

// Thread-safe. Chance is drawn from the Env, or from a seed of its own.
class FaultPlan {
 public:
  using RuleId = std::uint64_t;

  explicit FaultPlan(Env& env) : env_(env) {}

  RuleId Add(FaultRule rule);
  // False where there is no such rule.
  bool Remove(RuleId id);
  void Clear();
  // From now on the dice follow from this seed alone, whatever else draws from the Env.
  void Seed(std::uint64_t seed);

  // How many requests have been hit, by that rule and by all that ever were.
  [[nodiscard]] std::uint64_t hits(RuleId id) const;
  [[nodiscard]] std::uint64_t hits() const;

  // A rule with what has become of it.
  struct Listed {
    RuleId id = 0;
    FaultRule rule{};
    std::uint64_t hits = 0;
  };
  // In the order in which they are tried.
  [[nodiscard]] std::vector<Listed> Rules() const;

  // What rules look at in a request.
  struct Request {
    std::string_view verb{};
    std::string_view resource{};
    std::string_view namespace_{};
    std::string_view user_agent{};
    bool continues = false;
    bool initial_events = false;
  };
  // What happens to this request. Counts the hit.
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
