// kinformer/base/log.h
//
// LogSink: receives the library's log lines. A line has a level, a constant message, and varying
// key-value pairs, as in klog's structured logging. Tokens, keys and the data of Secrets are never
// logged.

#ifndef KINFORMER_BASE_LOG_H_
#define KINFORMER_BASE_LOG_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace kinformer {

// Importance of a line; kOff, as a threshold, disables all.
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError, kOff };

// A name and a value that belong to a line.
struct LogField {
  std::string_view key;
  std::string value;
};

// Receives log lines. Thread-safe. Log is called from any thread, the loop included: must be quick
// and not call back into kinformer. Exceptions are counted; stderr shows the first.
class LogSink {
 public:
  virtual ~LogSink() = default;
  [[nodiscard]] virtual LogLevel level() const = 0;  // Log gets no line below it
  virtual void Log(LogLevel level, std::string_view message,
                   std::initializer_list<LogField> fields) = 0;
};

// Returns a sink that writes text to stderr: `W1121 03:39:20.123456 watch ended, will resume
// resource=pods err="..."`.
std::unique_ptr<LogSink> NewStderrLog(LogLevel level);

// Returns a sink that writes JSON to stderr, one object per line, for programs that collect logs:
// `{"time":"2026-11-21T03:39:20.123456Z","level":"warning","msg":"watch ended, will
// resume","resource":"pods","err":"..."}`. The time is UTC; levels are debug, info, warning and
// error. Fields follow as members, all of them strings; a field with the name of an earlier member
// gets a "_" behind it. Each line is valid JSON: characters that would mislead a terminal or a
// reader of lines are escaped, and bytes that are not UTF-8 become U+FFFD.
// Counterpart: --logging-format=json of Kubernetes' components, log/slog's JSONHandler.
std::unique_ptr<LogSink> NewJsonLog(LogLevel level);

// Returns a sink that drops everything.
std::unique_ptr<LogSink> NewNullLog();

}  // namespace kinformer

#endif  // KINFORMER_BASE_LOG_H_
