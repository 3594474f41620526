#include "apiserver/workloads/cron_schedule.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/text/number_in.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

struct Field {
  std::string_view name;
  unsigned least;
  unsigned most;
  std::vector<std::string_view> names;  // of the values from `first_name` on
  unsigned first_name;
};

const std::array<Field, 5>& Fields() {
  static const std::array<Field, 5> kFields = {
      {{"minute", 0, 59, {}, 0},
       {"hour", 0, 23, {}, 0},
       {"day of the month", 1, 31, {}, 0},
       {"month",
        1,
        12,
        {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"},
        1},
       {"day of the week", 0, 7, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, 0}}};
  return kFields;
}

constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"}};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return parts;
}

std::optional<unsigned> ValueOf(const Field& field, std::string_view text) {
  for (std::size_t i = 0; i < field.names.size(); ++i) {
    if (text == field.names[i]) return field.first_name + static_cast<unsigned>(i);
  }
  const auto number = internal::base::NumberIn<unsigned>(text);
  if (!number || *number < field.least || *number > field.most) return std::nullopt;
  return number;
}

// Sets the bits of "a", "a-b", "*", each with "/step".
template <std::size_t N>
bool SetPart(const Field& field, const std::string& part, std::bitset<N>& bits) {
  const std::size_t slash = part.find('/');
  const std::string range = part.substr(0, slash);
  std::optional<unsigned> step = 1;
  if (slash != std::string::npos) {
    step = internal::base::NumberIn<unsigned>(std::string_view(part).substr(slash + 1));
  }
  std::optional<unsigned> first = field.least;
  std::optional<unsigned> last = std::min(field.most, static_cast<unsigned>(N) - 1);
  if (range != "*" && range != "?") {
    const std::size_t dash = range.find('-');
    first = ValueOf(field, range.substr(0, dash));
    if (dash != std::string::npos) {
      last = ValueOf(field, range.substr(dash + 1));
    } else if (slash == std::string::npos) {
      last = first;
    }
  }
  if (!step || *step == 0 || !first || !last || *first > *last) return false;
  for (unsigned value = *first; value <= *last; value += *step) bits.set(value % N);
  return true;
}

template <std::size_t N>
bool SetField(const Field& field, const std::string& text, std::bitset<N>& bits) {
  for (const std::string& part : Split(text, ',')) {
    if (!SetPart(field, part, bits)) return false;
  }
  return true;
}

bool IsAny(const std::string& text) { return text.front() == '*' || text.front() == '?'; }

}  // namespace

Result<CronSchedule> CronSchedule::Parse(std::string_view text) {
  for (const auto& [name, meaning] : kNamed) {
    if (text == name) text = meaning;
  }
  std::vector<std::string> fields = Split(text, ' ');
  std::erase(fields, std::string());
  if (fields.size() != 5) {
    return Error(Reason::kInvalidArgument,
                 "the schedule \"" + std::string(text) +
                     "\" must have five fields, such as \"*/5 * * * *\", or be one of @hourly, "
                     "@daily, @weekly, @monthly and @yearly");
  }
  CronSchedule out;
  const auto& rules = Fields();
  std::bitset<8> week;  // 7 is Sunday, too
  const bool well[] = {
      SetField(rules[0], fields[0], out.minutes_), SetField(rules[1], fields[1], out.hours_),
      SetField(rules[2], fields[2], out.days_), SetField(rules[3], fields[3], out.months_),
      SetField(rules[4], fields[4], week)};
  for (std::size_t i = 0; i < 5; ++i) {
    if (well[i]) continue;
    return Error(Reason::kInvalidArgument,
                 "the schedule \"" + std::string(text) + "\" has a wrong " +
                     std::string(rules[i].name) + ", \"" + fields[i] + "\": it must be from " +
                     std::to_string(rules[i].least) + " to " + std::to_string(rules[i].most));
  }
  for (std::size_t i = 0; i < 8; ++i) {
    if (week.test(i)) out.week_days_.set(i % 7);
  }
  out.any_day_ = IsAny(fields[2]);
  out.any_week_day_ = IsAny(fields[4]);
  return out;
}

bool CronSchedule::HasDay(unsigned month_day, unsigned week_day) const {
  const bool by_month = days_.test(month_day);
  const bool by_week = week_days_.test(week_day);
  return any_day_ || any_week_day_ ? by_month && by_week : by_month || by_week;
}

std::optional<WallTime> CronSchedule::Next(WallTime after) const {
  const auto first = std::chrono::floor<minutes>(std::chrono::time_point_cast<std::chrono::seconds>(
                         std::chrono::floor<std::chrono::seconds>(after))) +
                     minutes(1);
  const auto begin = std::chrono::floor<days>(first);
  for (int i = 0; i < 5 * 366; ++i) {
    const auto day = begin + days(i);
    const std::chrono::year_month_day date(day);
    if (!months_.test(static_cast<unsigned>(date.month())) ||
        !HasDay(static_cast<unsigned>(date.day()), std::chrono::weekday(day).c_encoding())) {
      continue;
    }
    for (unsigned hour = 0; hour < 24; ++hour) {
      if (!hours_.test(hour)) continue;
      for (unsigned minute = 0; minute < 60; ++minute) {
        const auto time = day + hours(hour) + minutes(minute);
        if (minutes_.test(minute) && time >= first) return WallTime(time);
      }
    }
  }
  return std::nullopt;
}

}  // namespace kinformer::apiserver::workloads
