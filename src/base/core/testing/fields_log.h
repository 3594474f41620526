// base/core/testing/fields_log.h
//
// FieldsLog: keeps log lines, each in the form `message key=value key=value`.

#ifndef KINFORMER_BASE_CORE_TESTING_FIELDS_LOG_H_
#define KINFORMER_BASE_CORE_TESTING_FIELDS_LOG_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"

namespace kinformer::internal::base {

// Records lines of one level and above. Thread-safe, except that `lines` is for tests in simulated
// time, where no other thread logs meanwhile.
class FieldsLog final : public LogSink {
 public:
  explicit FieldsLog(LogLevel level = LogLevel::kInfo) : level_(level) {}

  [[nodiscard]] LogLevel level() const override { return level_; }
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    if (level < level_) return;
    const std::lock_guard lock(mutex_);
    std::string& line = lines.emplace_back(message);
    for (const LogField& field : fields) {
      line += ' ' + std::string(field.key) + '=' + std::string(field.value);
    }
  }
  std::vector<std::string> lines{};

  // All lines, each with its end.
  [[nodiscard]] std::string text() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
  }
  // The lines that contain `part`.
  [[nodiscard]] std::size_t Count(std::string_view part) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(),
        [part](const std::string& line) { return line.find(part) != std::string::npos; }));
  }

 private:
  const LogLevel level_;
  mutable std::mutex mutex_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_TESTING_FIELDS_LOG_H_
