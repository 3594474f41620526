// kinformer/internal/log_text.h
//
// A log line as text, for sinks that hand it to a library for logging. Pure functions.

#ifndef KINFORMER_INTERNAL_LOG_TEXT_H_
#define KINFORMER_INTERNAL_LOG_TEXT_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "kinformer/base/log.h"

namespace kinformer::internal {

// Append and return `watch ended  resource=pods err="..."`, without a line break: whatever the
// values contain, it stays one line that misleads no terminal.
void AppendLogText(std::string_view message, std::initializer_list<LogField> fields,
                   std::string& line);
[[nodiscard]] std::string LogText(std::string_view message, std::initializer_list<LogField> fields);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_LOG_TEXT_H_
