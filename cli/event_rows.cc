#include "cli/event_rows.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "table/age.h"

namespace kinformer::cli {
namespace {

using internal::table::HumanDuration;
using internal::table::ParseTime;

// Returns the time, or `other` if the text is none.
std::int64_t TimeOr(const json::Value& text, std::int64_t other) {
  const std::int64_t time = ParseTime(text.StringOrEmpty());
  return time < 0 ? other : time;
}

std::string KeyOf(const EventRow& row) {
  std::string key;
  for (const std::string* part :
       {&row.namespace_, &row.type, &row.reason, &row.object, &row.message}) {
    key.append(*part).append(1, '\0');
  }
  return key;
}

bool SameWord(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

EventRow RowOf(const json::Value& event) {
  EventRow row;
  const json::Value& object = event["involvedObject"];
  row.namespace_ = event["metadata"]["namespace"].StringOrEmpty();
  row.type = event["type"].StringOrEmpty();
  row.reason = event["reason"].StringOrEmpty();
  row.object = object["kind"].StringOrEmpty() + "/" + object["name"].StringOrEmpty();
  row.message = event["message"].StringOrEmpty();
  while (!row.message.empty() && (row.message.back() == '\n' || row.message.back() == ' ')) {
    row.message.pop_back();
  }
  row.source = event["source"]["component"].StringOrEmpty();
  if (row.source.empty()) row.source = event["reportingComponent"].StringOrEmpty();
  const std::int64_t created = TimeOr(event["metadata"]["creationTimestamp"], 0);
  const std::int64_t begun = TimeOr(event["eventTime"], created);
  row.first = TimeOr(event["firstTimestamp"], begun);
  row.last = TimeOr(event["lastTimestamp"], row.first);
  row.count = std::max<std::int64_t>(1, event["count"].AsInt64().value_or(1));
  if (const json::Value& series = event["series"]; series.is_object()) {
    row.count = std::max<std::int64_t>(1, series["count"].AsInt64().value_or(1));
    row.last = TimeOr(series["lastObservedTime"], row.last);
  }
  return row;
}

bool EventFilter::Has(const json::Value& event) const {
  const json::Value& object = event["involvedObject"];
  if (!kind.empty() && !SameWord(kind, object["kind"].StringOrEmpty())) return false;
  if (!name.empty() && name != object["name"].StringOrEmpty()) return false;
  const std::string& about = object["uid"].StringOrEmpty();
  if (!uid.empty() && !about.empty() && about != uid) return false;
  return types.empty() || std::any_of(types.begin(), types.end(), [&](const std::string& type) {
           return SameWord(type, event["type"].StringOrEmpty());
         });
}

std::vector<EventRow> Grouped(const std::vector<EventRow>& rows) {
  std::map<std::string, EventRow> groups;
  for (const EventRow& row : rows) {
    const auto [at, is_new] = groups.try_emplace(KeyOf(row), row);
    if (is_new) continue;
    EventRow& group = at->second;
    group.count += row.count;
    group.first = std::min(group.first, row.first);
    group.last = std::max(group.last, row.last);
  }
  std::vector<EventRow> sorted;
  for (auto& [key, row] : groups) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const EventRow& a, const EventRow& b) { return a.last < b.last; });
  return sorted;
}

EventRow EventGroups::Note(const json::Value& event) {
  EventRow row = RowOf(event);
  Group& group = groups_[KeyOf(row)];
  const json::Value& meta = event["metadata"];
  const std::string& uid = meta["uid"].StringOrEmpty();
  const std::int64_t count =
      std::exchange(group.counts[uid.empty() ? meta["name"].StringOrEmpty() : uid], row.count);
  const bool unchanged = count == row.count && group.last >= row.last;
  group.first = group.first == 0 ? row.first : std::min(group.first, row.first);
  group.last = std::max(group.last, row.last);
  row.first = group.first;
  row.last = group.last;
  row.count = 0;
  if (unchanged) return row;
  for (const auto& [id, times] : group.counts) row.count += times;
  return row;
}

std::string LastSeen(const EventRow& row, WallTime now) {
  const std::int64_t second =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  const auto ago = [&](std::int64_t time) {
    return time == 0
               ? std::string("<unknown>")
               : HumanDuration(std::chrono::seconds(std::max<std::int64_t>(0, second - time)));
  };
  if (row.count <= 1) return ago(row.last);
  return ago(row.last) + " (x" + std::to_string(row.count) + " over " + ago(row.first) + ")";
}

std::vector<std::string> EventTitles(bool namespaces) {
  std::vector<std::string> titles{"LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"};
  if (namespaces) titles.insert(titles.begin(), "NAMESPACE");
  return titles;
}

std::vector<std::string> EventCells(const EventRow& row, bool namespaces, WallTime now) {
  std::vector<std::string> cells{LastSeen(row, now), row.type, row.reason, row.object, row.message};
  if (namespaces) cells.insert(cells.begin(), row.namespace_);
  return cells;
}

}  // namespace kinformer::cli
