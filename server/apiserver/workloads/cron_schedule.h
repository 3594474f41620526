// apiserver/workloads/cron_schedule.h
//
// CronSchedule: the times of a CronJob's schedule: "*/5 8-18 * * mon-fri", "@hourly".

#ifndef KINFORMER_APISERVER_WORKLOADS_CRON_SCHEDULE_H_
#define KINFORMER_APISERVER_WORKLOADS_CRON_SCHEDULE_H_

#include <bitset>
#include <optional>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

namespace kinformer::apiserver::workloads {

// A value. Minutes, hours, days of the month, months and days of the week, in UTC, with lists,
// ranges, steps, and the names of months and days. If both kinds of days are given, either counts.
class CronSchedule {
 public:
  // kInvalidArgument: names the field.
  static Result<CronSchedule> Parse(std::string_view text);

  // Returns the first time after that one; empty if there is none within five years.
  [[nodiscard]] std::optional<WallTime> Next(WallTime after) const;

 private:
  [[nodiscard]] bool HasDay(unsigned month_day, unsigned week_day) const;

  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> week_days_;
  bool any_day_ = false;  // of the month
  bool any_week_day_ = false;
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_CRON_SCHEDULE_H_
