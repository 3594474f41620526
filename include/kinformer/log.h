// kinformer/log.h
//
// LogSink: where the library's log lines go. A line has a level, a message that does not vary, and
// key-value pairs that do, as in klog's structured logging. Tokens, keys and the data of Secrets
// are never logged.

#ifndef KINFORMER_LOG_H_
#define KINFORMER_LOG_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace kinformer {

// How much a line matters; kOff, as a threshold, lets nothing pass.
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError, kOff };

// A name and a value beside a line's message.
struct LogField {
  std::string_view key;
  std::string value;
};

// Thread-safe. Log is called from any thread, the loop included: it must be quick and must not call
// back into kinformer. What it throws is counted and, the first time, said on stderr.
class LogSink {
 public:
  virtual ~LogSink() = default;
  [[nodiscard]] virtual LogLevel level() const = 0;  // Log gets no line below it
  virtual void Log(LogLevel level, std::string_view message,
                   std::initializer_list<LogField> fields) = 0;
};

// Lines as text on stderr: `W1121 03:39:20.123456 watch ended, will resume  resource=pods
// err="..."`.
std::unique_ptr<LogSink> NewStderrLog(LogLevel level);

// Drops everything.
std::unique_ptr<LogSink> NewNullLog();

}  // namespace kinformer

#endif  // KINFORMER_LOG_H_
