// cli/report.h
//
// Reports a failed command: one line on standard error, with the remedy.

#ifndef KINFORMER_CLI_REPORT_H_
#define KINFORMER_CLI_REPORT_H_

#include <string>

#include "kinformer/base/error.h"

#include "cli/command_line.h"

namespace kinformer::cli {

// Returns "error: ..." in one line. `origin`: source of the configuration, if one was read.
std::string ErrorLine(const Error& error, const std::string& origin = "");

// Prints the error and returns the exit status kFailure.
int Fail(const Error& error, const std::string& origin = "");

// Like Fail, for errors in the command line itself: kUsageError.
int UsageError(const std::string& message);

// UsageError for kInvalidArgument, else Fail.
int UsageOrFailure(const Error& error, const std::string& origin);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_REPORT_H_
