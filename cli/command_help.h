// cli/command_help.h
//
// Help of the program as data: --help, the manual and the completion of shells all come from it.

#ifndef KINFORMER_CLI_COMMAND_HELP_H_
#define KINFORMER_CLI_COMMAND_HELP_H_

#include <map>
#include <string>
#include <vector>

namespace kinformer::cli {

struct OptionHelp {
  std::string names{};  // "-n,--namespace"
  std::string value{};  // "NS", "wide|name|json"; empty: a flag
  std::string help{};
  std::vector<std::string> choices{};  // values that are accepted; empty: any
};

struct PositionalHelp {
  std::string name{};  // "RESOURCE"
  std::string help{};
  bool required{false};
  bool repeated{false};
};

struct CommandHelp {
  std::string name{};
  std::string description{};
  std::vector<PositionalHelp> positionals{};
  std::vector<OptionHelp> options{};
  std::map<int, std::string> statuses{};  // exit statuses and their meanings
};

struct ProgramHelp {
  std::string name{};
  std::string description{};
  std::string version{};              // "kinformer 1.2.3"
  std::vector<OptionHelp> options{};  // before or after the command
  std::vector<CommandHelp> commands{};
  std::map<int, std::string> statuses{};
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_COMMAND_HELP_H_
