// kinformer/interop/spdlog.h
//
// SpdlogSink: the library's log lines go to a logger of spdlog.
//
//   auto logger = std::make_shared<spdlog::logger>("kinformer", sink);
//   Runtime runtime({.log = std::make_shared<interop::SpdlogSink>(logger)});
//
// Only a program that includes this header needs spdlog.

#ifndef KINFORMER_INTEROP_SPDLOG_H_
#define KINFORMER_INTEROP_SPDLOG_H_

#include <initializer_list>
#include <memory>
#include <spdlog/logger.h>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/internal/log_text.h"

namespace kinformer::interop {

// Writes each line with its level, as one text: `watch ended  resource=pods err="..."`. What counts
// is the logger's level at that moment, so a program may change it while it runs; a logger at
// critical or off gets nothing. Thread-safe if the logger's sinks are (those whose names end in
// _mt), and as quick as they are: the loop waits for them. Shares the logger.
class SpdlogSink final : public LogSink {
 public:
  // REQUIRES: not null.
  explicit SpdlogSink(std::shared_ptr<spdlog::logger> logger) : logger_(std::move(logger)) {}

  [[nodiscard]] LogLevel level() const override {
    for (const LogLevel level :
         {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
      if (logger_->should_log(LevelOf(level))) return level;
    }
    return LogLevel::kOff;
  }
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    const std::string text = internal::LogText(message, fields);
    logger_->log(LevelOf(level), spdlog::string_view_t(text.data(), text.size()));
  }

 private:
  static spdlog::level::level_enum LevelOf(LogLevel level) {
    switch (level) {
      case LogLevel::kDebug:
        return spdlog::level::debug;
      case LogLevel::kInfo:
        return spdlog::level::info;
      case LogLevel::kWarning:
        return spdlog::level::warn;
      case LogLevel::kError:
        return spdlog::level::err;
      case LogLevel::kOff:
        break;
    }
    return spdlog::level::off;
  }

  const std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace kinformer::interop

#endif  // KINFORMER_INTEROP_SPDLOG_H_
