// kinformer/apiserver/faults.h
//
// FaultPlan: what the embedded API server does wrong, on purpose, and to whom. Rules can be added and taken away while the server
// runs.
//
//   server.faults().Add({.verb = "watch", .resource = "pods", .action = FaultAction::kCutBody, .after_bytes = 700, .count = 3});
//   server.faults().Add({.verb = "list", .action = FaultAction::kRespond, .status = 429, .retry_after = 1s, .probability = 0.1});

#ifndef KINFORMER_APISERVER_FAULTS_H_
#define KINFORMER_APISERVER_FAULTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"

namespace kinformer::apiserver {

enum class FaultAction : std::uint8_t {
  kRespond,  // answers with `status` (and Retry-After) instead of doing anything
  kDelay,    // answers after `delay`
  kCutBody,  // breaks the response after `after_bytes` of the body: the connection, or with HTTP/2 the stream (RST_STREAM)
  kEndWatch,  // ends a watch cleanly after `after_events` events
  kWatchError,  // an ERROR event with `status` (410: Expired) after `after_events` events, then the end
  kStall,       // a watch or list says nothing more after `after_bytes`, and does not end
  kNoBookmarks,         // a watch sends no bookmarks, the end of initial events included
  kOldResourceVersion,  // a list or watch from a resourceVersion is told that it is too old
  kGarbage,             // `text` in the place of the rest of the body after `after_bytes`
  kDuplicateEvents,     // each event of a watch is sent twice
  kRefuse,              // the connection breaks before an answer
  // Of the connection rather than the response:
  kGoAway,  // the answer asks the client to leave its connection: GOAWAY, or Connection: close
  kBreakConnection,  // breaks the connection after `after_bytes` of the body, with all that it carries
  kStallConnection,  // after `after_bytes` the connection stays open and says nothing more, whatever it carries
  kStreamLimit,  // from now on the connection takes `max_streams` at once (HTTP/2)
};

// A request is hit by the first rule that fits it and whose dice fall so. Empty fields fit everything.
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

  int status{500};
  std::string text{};  // kRespond: a plain text body in place of a Status; kGarbage: the garbage
  std::optional<std::chrono::seconds> retry_after{};
  Duration delay{0};
  std::size_t after_bytes{0};
  std::size_t after_events{0};
  std::uint32_t max_streams{1};
};

// Loop-confined. Chance is drawn from the Env, or from a seed of its own.
class FaultPlan {
 public:
  using RuleId = std::uint64_t;

  explicit FaultPlan(Env& env) : env_(env) {}

  RuleId Add(FaultRule rule);
  void Remove(RuleId id);
  void Clear() { rules_.clear(); }
  // From now on the dice follow from this seed alone, whatever else draws from the Env.
  void Seed(std::uint64_t seed) { seed_ = seed; }
  // How many requests have been hit, by that rule and by all that ever were.
  [[nodiscard]] std::uint64_t hits(RuleId id) const;
  [[nodiscard]] std::uint64_t hits() const { return hits_; }

  struct Request {
    std::string_view verb;
    std::string_view resource;
    std::string_view namespace_;
    std::string_view user_agent;
    bool continues = false;
    bool initial_events = false;
  };
  // What happens to this request. Counts the hit.
  [[nodiscard]] std::optional<FaultRule> Draw(const Request& request);

 private:
  struct Entry {
    RuleId id;
    FaultRule rule;
    std::uint64_t seen;
    std::uint64_t hits;
  };
  double Unit();

  Env& env_;
  std::vector<Entry> rules_;
  std::optional<std::uint64_t> seed_;
  RuleId next_id_ = 1;
  std::uint64_t hits_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_H_
