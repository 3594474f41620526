// kinformer/interop/absl_log.h
//
// AbslLogSink: the library's log lines go to Abseil's log (absl/log, Abseil 20230125 or newer).
//
//   Runtime runtime({.log = std::make_shared<interop::AbslLogSink>()});
//
// Only a program that includes this header needs Abseil.

#ifndef KINFORMER_INTEROP_ABSL_LOG_H_
#define KINFORMER_INTEROP_ABSL_LOG_H_

#include <absl/base/log_severity.h>
#include <absl/log/globals.h>
#include <absl/log/log.h>
#include <initializer_list>
#include <string_view>

#include "kinformer/base/log.h"
#include "kinformer/internal/log_text.h"

namespace kinformer::interop {

// Writes each line as one text: `watch ended  resource=pods err="..."`, from a "file" kinformer.
// Abseil has no severity for kDebug: such lines are INFO, and there are none unless the constructor
// asks for them. What counts beside is absl::MinLogLevel() at that moment. Thread-safe.
class AbslLogSink final : public LogSink {
 public:
  explicit AbslLogSink(LogLevel level = LogLevel::kInfo) : level_(level) {}

  [[nodiscard]] LogLevel level() const override {
    const absl::LogSeverityAtLeast least = absl::MinLogLevel();
    LogLevel of_absl = LogLevel::kOff;
    if (absl::LogSeverity::kInfo >= least) {
      of_absl = LogLevel::kDebug;
    } else if (absl::LogSeverity::kWarning >= least) {
      of_absl = LogLevel::kWarning;
    } else if (absl::LogSeverity::kError >= least) {
      of_absl = LogLevel::kError;
    }
    return of_absl > level_ ? of_absl : level_;
  }
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    absl::LogSeverity severity = absl::LogSeverity::kInfo;
    if (level == LogLevel::kWarning) severity = absl::LogSeverity::kWarning;
    if (level >= LogLevel::kError) severity = absl::LogSeverity::kError;
    LOG(LEVEL(severity)).AtLocation("kinformer", 0) << internal::LogText(message, fields);
  }

 private:
  const LogLevel level_;
};

}  // namespace kinformer::interop

#endif  // KINFORMER_INTEROP_ABSL_LOG_H_
