// base/testing/fields_log.h
//
// FieldsLog: keeps what is logged, each line as `message key=value key=value`.

#ifndef KINFORMER_BASE_TESTING_FIELDS_LOG_H_
#define KINFORMER_BASE_TESTING_FIELDS_LOG_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/log.h"

namespace kinformer::internal::base {

// Of that level and above. Not thread-safe: for simulated time.
class FieldsLog final : public LogSink {
 public:
  explicit FieldsLog(LogLevel level = LogLevel::kInfo) : level_(level) {}

  [[nodiscard]] LogLevel level() const override { return level_; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    std::string& line = lines.emplace_back(message);
    for (const LogField& field : fields) {
      line += ' ' + std::string(field.key) + '=' + std::string(field.value);
    }
  }
  std::vector<std::string> lines{};

 private:
  const LogLevel level_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TESTING_FIELDS_LOG_H_
