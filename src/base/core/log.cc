#include "kinformer/base/log.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <unistd.h>

#include "base/core/printable.h"

namespace kinformer {
namespace {

namespace base = internal::base;

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

// Quotes a text so that a log line stays one line, whatever a server's names contain.
void AppendQuoted(std::string_view text, std::string& out) {
  out.push_back('"');
  while (true) {
    const std::size_t special = text.find_first_of("\"\\");
    base::AppendPrintable(text.substr(0, special), out);
    if (special == std::string_view::npos) break;
    out.push_back('\\');
    out.push_back(text[special]);
    text.remove_prefix(special + 1);
  }
  out.push_back('"');
}

bool NeedsQuotes(std::string_view text) {
  return text.empty() || text.find_first_of(" \"\\=") != std::string_view::npos ||
         base::Printable(text) != text;
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
    base::AppendPrintable(message, line);
    bool first = true;
    for (const LogField& field : fields) {
      line.append(first ? "  " : " ");
      base::AppendPrintable(field.key, line);
      line.push_back('=');
      first = false;
      if (NeedsQuotes(field.value)) {
        AppendQuoted(field.value, line);
      } else {
        line.append(field.value);
      }
    }
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
