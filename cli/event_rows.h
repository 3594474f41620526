// cli/event_rows.h
//
// Events of a cluster as rows: repeats of one event are one row with a count.

#ifndef KINFORMER_CLI_EVENT_ROWS_H_
#define KINFORMER_CLI_EVENT_ROWS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {

// Something that happened to an object, once or several times.
struct EventRow {
  std::string namespace_{};
  std::string type{};
  std::string reason{};
  std::string object{};  // "Pod/web-0"
  std::string message{};
  std::string source{};    // "kubelet"
  std::int64_t first = 0;  // seconds since 1970
  std::int64_t last = 0;
  std::int64_t count = 1;
};

// Reads an event of core/v1, in its older form (count, lastTimestamp) or its newer one (series).
EventRow RowOf(const json::Value& event);

// Selects events by their object and type.
struct EventFilter {
  std::string kind{};                // of --for; empty: all. "pod" and "Pod" are the same
  std::string name{};                // of --for
  std::string uid{};                 // of the object; events without one match, too
  std::vector<std::string> types{};  // "Normal", "Warning"; empty: all
  [[nodiscard]] bool Has(const json::Value& event) const;
};

// Puts events with the same namespace, type, reason, object and message together: their counts are
// added, and the earliest and latest times kept. In the order of their last time.
std::vector<EventRow> Grouped(const std::vector<EventRow>& rows);

// Counts events as they come: Note returns the row to print, with the repeats of that event so far.
// An event that comes again unchanged, as after a reconnection, returns a row with the count 0.
class EventGroups {
 public:
  EventRow Note(const json::Value& event);

 private:
  struct Group {
    std::map<std::string, std::int64_t> counts{};  // by the event's uid or name
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  std::map<std::string, Group> groups_;
};

// Returns "41m", or "11m (x7 over 26h)" for repeats.
std::string LastSeen(const EventRow& row, WallTime now);
// Cells of kubectl's table: [NAMESPACE,] LAST SEEN, TYPE, REASON, OBJECT, MESSAGE.
std::vector<std::string> EventTitles(bool namespaces);
std::vector<std::string> EventCells(const EventRow& row, bool namespaces, WallTime now);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_EVENT_ROWS_H_
