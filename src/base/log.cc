#include "kinformer/log.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <unistd.h>

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

// A line stays a line, whatever an object's name or a server's message contains.
void AppendEscaped(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out.append("\\n");
    } else if (byte < 0x20 || byte == 0x7f) {
      out.append("\\x");
      out.push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 15]);
    } else {
      out.push_back(c);
    }
  }
}

bool NeedsQuotes(std::string_view text) {
  if (text.empty()) return true;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == '"' || c == '\\' || c == '=' || c == 0x7f) {
      return true;
    }
  }
  return false;
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
    line.append(message);
    bool first = true;
    for (const LogField& field : fields) {
      line.append(first ? "  " : " ").append(field.key).push_back('=');
      first = false;
      if (NeedsQuotes(field.value)) {
        line.push_back('"');
        AppendEscaped(field.value, line);
        line.push_back('"');
      } else {
        line.append(field.value);
      }
    }
    line.push_back('\n');
    // One write per line, so that lines of several threads do not mix. Where stderr is gone there
    // is nobody to tell.
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
