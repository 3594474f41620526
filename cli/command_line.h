// cli/command_line.h
//
// The command line of kinformer: commands, each with its options. A thin layer over CLI11, which is
// slow to compile and is included in one file only.

#ifndef KINFORMER_CLI_COMMAND_LINE_H_
#define KINFORMER_CLI_COMMAND_LINE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_help.h"

namespace kinformer::cli {

// Exit statuses of a command that does not say otherwise: 0 success, 1 failure, 2 usage error.
inline constexpr int kFailure = 1;
inline constexpr int kUsageError = 2;

// One command. Variables bound here must live until CommandLine::Run returns.
class Command {
 public:
  virtual ~Command() = default;
  // `names` as in "-n,--namespace". `value_name` is shown in the help: "NS".
  virtual void Flag(const std::string& names, bool& value, const std::string& help) = 0;
  // Like above, for flags whose absence differs from "=false".
  virtual void Flag(const std::string& names, std::optional<bool>& value,
                    const std::string& help) = 0;
  // A flag that may have a value behind "=", which `help` names; without one it is "true".
  virtual void FlagOrValue(const std::string& names, std::string& value,
                           const std::string& help) = 0;
  virtual void Option(const std::string& names, std::string& value, const std::string& value_name,
                      const std::string& help) = 0;
  // Like above, for options whose empty value differs from no value.
  virtual void Option(const std::string& names, std::optional<std::string>& value,
                      const std::string& value_name, const std::string& help) = 0;
  // An option that may be given several times, with several values each.
  virtual void Options(const std::string& names, std::vector<std::string>& values,
                       const std::string& value_name, const std::string& help) = 0;
  // An option that may be given several times, with one value each.
  virtual void Each(const std::string& names, std::vector<std::string>& values,
                    const std::string& value_name, const std::string& help) = 0;
  // Accepts one of `choices`; any other value is a usage error that lists them, with the text of
  // `instead` for the given value unless that is empty.
  virtual void Choice(const std::string& names, std::string& value,
                      const std::vector<std::string>& choices, const std::string& help,
                      std::function<std::string(std::string_view)> instead) = 0;
  // A duration in Go's notation: "20s", "1m30s". 0 if the option is not given.
  virtual void Seconds(const std::string& names, double& value, const std::string& help) = 0;
  virtual void Positional(const std::string& name, std::string& value, bool required,
                          const std::string& help) = 0;
  // One or more arguments; with `required` false also none.
  virtual void Positionals(const std::string& name, std::vector<std::string>& values,
                           const std::string& help, bool required = true) = 0;
  // Options that only other commands of this kind have: `words` are appended to the usage error.
  // `names` as above.
  virtual void Elsewhere(const std::string& names, const std::string& words) = 0;
  // Says in the help what an exit status means, where that is not the usual.
  virtual void Status(int status, const std::string& meaning) = 0;
  virtual void Run(std::function<int()> run) = 0;
};

// Adds `help [COMMAND]` and --version by itself. `help` shows its text in $PAGER on a terminal. The
// value of a one-letter option may follow "=", as in "-A=false" and "-n=kube-system".
class CommandLine {
 public:
  // `version`: output of --version.
  CommandLine(const std::string& description, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // An option that may also be given before the command, with the same effect as behind it; a value
  // behind the command wins. It is a usage error for a command that has no option of that long
  // name. `names` as in the commands.
  void Global(const std::string& names, const std::string& value_name, const std::string& help);
  void GlobalFlag(const std::string& names, const std::string& help);

  Command& Add(const std::string& name, const std::string& description);
  // Like Command::Elsewhere, for a command that does not exist here.
  void Elsewhere(const std::string& command, const std::string& words);
  // Adds a command for other programs, which no help shows: it gets all arguments behind its name
  // as they are.
  void Hidden(const std::string& name,
              std::function<int(const std::vector<std::string>& arguments)> run);
  // Returns the help of all commands that were added so far, `help` included.
  [[nodiscard]] ProgramHelp Describe() const;
  // Parses the arguments and runs the command. Returns the exit status.
  int Run(int argc, char** argv);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_COMMAND_LINE_H_
