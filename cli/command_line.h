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

namespace kinformer::cli {

// Exit statuses: 0 done, 1 it did not work, 2 it was not asked for properly.
inline constexpr int kFailure = 1;
inline constexpr int kUsageError = 2;

// One command. Variables bound here must live until CommandLine::Run returns.
class Command {
 public:
  virtual ~Command() = default;
  // `names` as in "-n,--namespace". `value_name` is shown in the help: "NS".
  virtual void Flag(const std::string& names, bool& value, const std::string& help) = 0;
  virtual void Option(const std::string& names, std::string& value, const std::string& value_name,
                      const std::string& help) = 0;
  // The same where an empty text is something else than none.
  virtual void Option(const std::string& names, std::optional<std::string>& value,
                      const std::string& value_name, const std::string& help) = 0;
  // May be given several times, and take several values.
  virtual void Options(const std::string& names, std::vector<std::string>& values,
                       const std::string& value_name, const std::string& help) = 0;
  // Accepts one of `choices`; any other value is a usage error that lists them, with the text of
  // `instead` for the given value unless that is empty.
  virtual void Choice(const std::string& names, std::string& value,
                      const std::vector<std::string>& choices, const std::string& help,
                      std::function<std::string(std::string_view)> instead) = 0;
  // Go's notation: "20s", "1m30s". 0 where the option is not given.
  virtual void Seconds(const std::string& names, double& value, const std::string& help) = 0;
  virtual void Positional(const std::string& name, std::string& value, bool required,
                          const std::string& help) = 0;
  // One or more.
  virtual void Positionals(const std::string& name, std::vector<std::string>& values,
                           const std::string& help) = 0;
  // Options that this command does not have, but others of their kind do: `words` follow the usage
  // error. `names` as above.
  virtual void Elsewhere(const std::string& names, const std::string& words) = 0;
  virtual void Run(std::function<int()> run) = 0;
};

// `help [COMMAND]` and --version are there by themselves. An option of one letter may have its
// value behind "=", as in "-A=false" and "-n=kube-system".
class CommandLine {
 public:
  // `version`: what --version prints.
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
  // Parses and runs the command that was asked for. Gives the exit status.
  int Run(int argc, char** argv);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_COMMAND_LINE_H_
