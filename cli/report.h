// cli/report.h
//
// How a command says that something did not work: one line on standard error, with the remedy.

#ifndef KINFORMER_CLI_REPORT_H_
#define KINFORMER_CLI_REPORT_H_

#include <string>

#include "kinformer/error.h"

#include "cli/command_line.h"

namespace kinformer::cli {

// "error: ..." in one line. `origin`: where the configuration came from, if one was read.
std::string ErrorLine(const Error& error, const std::string& origin = "");

// Prints it and gives the exit status kFailure.
int Fail(const Error& error, const std::string& origin = "");

// The same for what is wrong with the command line itself: kUsageError.
int UsageError(const std::string& message);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_REPORT_H_
