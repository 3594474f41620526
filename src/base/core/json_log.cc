#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"

#include "base/core/printable.h"

namespace kinformer {
namespace {

namespace base = internal::base;

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    default:
      return "error";
  }
}

// Returns the text as a JSON string. Escapes what a terminal or a reader of lines would treat
// specially, too, since people look at such files.
std::string JsonString(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const base::CodePoint point = base::FirstCodePoint(text);
    if (!point.valid) {
      out += "\\ufffd";
    } else if (point.code == '"' || point.code == '\\') {
      out.push_back('\\');
      out.push_back(text.front());
    } else if (point.code == '\n') {
      out += "\\n";
    } else if (base::IsUnprintable(point.code)) {
      std::array<char, 16> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", point.code);
      out += escape.data();
    } else {
      out.append(text, 0, point.size);
    }
    text.remove_prefix(point.size);
  }
  out.push_back('"');
  return out;
}

// Returns the time in UTC: 2026-11-21T03:39:20.123456Z.
std::string TimeText(std::chrono::system_clock::time_point now) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  const auto micros = std::chrono::floor<std::chrono::microseconds>(now - whole).count();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(whole);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06lldZ",
                utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                utc.tm_sec, static_cast<long long>(micros));
  return text.data();
}

class JsonLog final : public LogSink {
 public:
  explicit JsonLog(LogLevel level) : level_(level) {}
  [[nodiscard]] LogLevel level() const override { return level_; }

  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    if (level < level_ || level == LogLevel::kOff) return;
    std::string line;
    std::vector<std::string> names;
    const auto append = [&](std::string_view name, std::string_view value) {
      // Readers of JSON keep one of two members with the same name, or refuse the line.
      std::string own = JsonString(name);
      while (std::find(names.begin(), names.end(), own) != names.end())
        own.insert(own.size() - 1, "_");
      line.push_back(names.empty() ? '{' : ',');
      line += own;
      line.push_back(':');
      line += JsonString(value);
      names.push_back(std::move(own));
    };
    append("time", TimeText(std::chrono::system_clock::now()));
    append("level", LevelName(level));
    append("msg", message);
    for (const LogField& field : fields) append(field.key, field.value);
    line += "}\n";
    // One write per line, so that lines of several threads do not mix. An error cannot be reported
    // anywhere.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  }

 private:
  const LogLevel level_;
};

}  // namespace

std::unique_ptr<LogSink> NewJsonLog(LogLevel level) { return std::make_unique<JsonLog>(level); }

}  // namespace kinformer
