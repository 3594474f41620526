// cli/manual.h
//
// Pages of the manual, made from the same texts as --help.

#ifndef KINFORMER_CLI_MANUAL_H_
#define KINFORMER_CLI_MANUAL_H_

#include <string>

#include "kinformer/base/result.h"

#include "cli/command_help.h"

namespace kinformer::cli {

// Return a page in roff, with the macros of man: that of the program, which lists its commands, and
// that of one command.
std::string ManualPage(const ProgramHelp& program);
std::string ManualPage(const ProgramHelp& program, const CommandHelp& command);

// Writes all pages to a folder, which is made if needed: kinformer.1, kinformer-get.1, ...
Result<void> WriteManual(const ProgramHelp& program, const std::string& folder);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_MANUAL_H_
