// cli/log_format.h
//
// Lines of logs as `kinformer logs` prints them.

#ifndef KINFORMER_CLI_LOG_FORMAT_H_
#define KINFORMER_CLI_LOG_FORMAT_H_

#include <string>
#include <string_view>

#include "cli/log_follower.h"
#include "cli/log_stream.h"

namespace kinformer::cli {

struct LogFormat {
  enum class Form {
    kRaw,   // the line alone
    kPods,  // "web-0 app line"
    kJson,  // an object in each line
  } form = Form::kRaw;
  bool prefix = false;      // kubectl's: "[pod/web-0/app] line"
  bool timestamps = false;  // in front of the line
  bool namespaces = false;  // in front of the pods
  bool colors = false;      // of pods and containers
};

// Returns the line without its end. What the container wrote stays as it is, so that its colours
// are seen; -o json escapes it.
std::string FormatLine(const LogRecord& record, const LogFormat& format);

// Returns "+ web-0 app" for a beginning, "- web-0 app (exit code 1, Error)" for an end, and
// sentences for the rest.
std::string FormatNotice(const LogNotice& notice, const LogFormat& format);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_LOG_FORMAT_H_
