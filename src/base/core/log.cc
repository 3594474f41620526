#include "kinformer/base/log.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <unistd.h>

#include "kinformer/internal/log_text.h"

namespace kinformer {
namespace {

char LevelLetter(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return 'D';
    case LogLevel::kInfo:
      return 'I';
    case LogLevel::kWarning:
      return 'W';
    default:
      return 'E';
  }
}

class StderrLog final : public LogSink {
 public:
  explicit StderrLog(LogLevel level) : level_(level) {}
  [[nodiscard]] LogLevel level() const override { return level_; }

  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    if (level < level_ || level == LogLevel::kOff) return;
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto micros =
        std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() %
        1000000;
    std::tm local{};
    localtime_r(&seconds, &local);
    std::array<char, 64> head{};
    std::snprintf(head.data(), head.size(), "%c%02d%02d %02d:%02d:%02d.%06lld ", LevelLetter(level),
                  local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
                  static_cast<long long>(micros));
    std::string line = head.data();
    internal::AppendLogText(message, fields, line);
    line.push_back('\n');
    // One write per line, so that lines of several threads do not mix. An error cannot be reported
    // anywhere.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  }

 private:
  const LogLevel level_;
};

class NullLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kOff; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

}  // namespace

std::unique_ptr<LogSink> NewStderrLog(LogLevel level) { return std::make_unique<StderrLog>(level); }
std::unique_ptr<LogSink> NewNullLog() { return std::make_unique<NullLog>(); }

}  // namespace kinformer
