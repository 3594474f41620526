#include "cli/command_line.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/text/edit_distance.h"
#include "cli/manual.h"
#include "cli/pager.h"
#include "cli/report.h"
#include "object/values/text_forms.h"

namespace kinformer::cli {
namespace {

// A hundred years: a Duration cannot hold much more.
constexpr double kMostSeconds = 100.0 * 365 * 24 * 3600;
constexpr char kGlobalGroup[] = "Options before or after the command";

// "1m30s" in seconds. Throws CLI11's validation error, which becomes a usage error.
double ParseSeconds(const std::string& text) {
  const std::optional<std::int64_t> nanos = internal::ParseGoDuration(text);
  if (!nanos || *nanos < 0) {
    throw CLI::ValidationError("\"" + text + "\" is no duration; write it like 20s or 1m30s");
  }
  const double total = static_cast<double>(*nanos) * 1e-9;
  if (total > kMostSeconds) {
    throw CLI::ValidationError("\"" + text + "\" is too long; at most 100 years");
  }
  return total;
}

std::map<int, std::string> UsualStatuses() {
  return {{0, "success"},
          {kFailure, "failure; standard error says why"},
          {kUsageError, "usage error: the command line is wrong"}};
}

// Returns the end of a help text.
std::string StatusText(const std::map<int, std::string>& statuses) {
  std::string text = "Exit status:\n";
  for (const auto& [status, meaning] : statuses) {
    text += "  " + std::to_string(status) + "   " + meaning + "\n";
  }
  text.pop_back();
  return text;
}

class Cli11Command final : public Command {
 public:
  explicit Cli11Command(CLI::App* app) : app_(app) {
    described_.name = app->get_name();
    described_.description = app->get_description();
    described_.statuses = UsualStatuses();
    app_->footer(StatusText(described_.statuses));
  }
  void Flag(const std::string& names, bool& value, const std::string& help) override {
    described_.options.push_back({names, "", help});
    app_->add_flag(names, value, help);
  }
  void Flag(const std::string& names, std::optional<bool>& value,
            const std::string& help) override {
    described_.options.push_back({names, "", help});
    // CLI11 counts: "=false" is less than nothing.
    app_->add_flag_function(names, [&value](std::int64_t count) { value = count > 0; }, help);
  }
  void FlagOrValue(const std::string& names, std::string& value, const std::string& help) override {
    described_.options.push_back({names, "", help});
    app_->add_flag(names, value, help);
  }
  void Option(const std::string& names, std::string& value, const std::string& value_name,
              const std::string& help) override {
    described_.options.push_back({names, value_name, help});
    app_->add_option(names, value, help)->type_name(value_name)->take_last();
  }
  void Option(const std::string& names, std::optional<std::string>& value,
              const std::string& value_name, const std::string& help) override {
    described_.options.push_back({names, value_name, help});
    app_->add_option(names, value, help)->type_name(value_name)->take_last();
  }
  void Options(const std::string& names, std::vector<std::string>& values,
               const std::string& value_name, const std::string& help) override {
    described_.options.push_back({names, value_name, help});
    app_->add_option(names, values, help)->type_name(value_name);
  }
  void Each(const std::string& names, std::vector<std::string>& values,
            const std::string& value_name, const std::string& help) override {
    described_.options.push_back({names, value_name, help});
    app_->add_option(names, values, help)->type_name(value_name)->allow_extra_args(false);
  }
  void Choice(const std::string& names, std::string& value, const std::vector<std::string>& choices,
              const std::string& help,
              std::function<std::string(std::string_view)> instead) override {
    std::string all;
    for (const std::string& choice : choices) all += (all.empty() ? "" : "|") + choice;
    described_.options.push_back({names, all, help, choices});
    app_->add_option(names, value, help)
        ->type_name(all)
        ->take_last()
        ->check(CLI::Validator(
            [choices, all, instead = std::move(instead)](const std::string& given) {
              for (const std::string& choice : choices) {
                if (choice == given) return std::string();
              }
              const std::string words = instead == nullptr ? std::string() : instead(given);
              return "\"" + given + "\" is none of " + all + (words.empty() ? "" : "; ") + words;
            },
            ""));
  }
  void Seconds(const std::string& names, double& value, const std::string& help) override {
    described_.options.push_back({names, "DURATION", help});
    app_->add_option_function<std::string>(
            names, [&value](const std::string& text) { value = ParseSeconds(text); }, help)
        ->type_name("DURATION")
        ->take_last();
  }
  void Positional(const std::string& name, std::string& value, bool required,
                  const std::string& help) override {
    described_.positionals.push_back({name, help, required, false});
    CLI::Option* const option = app_->add_option(name, value, help)->type_name("");
    if (required) option->required();
  }
  void Positionals(const std::string& name, std::vector<std::string>& values,
                   const std::string& help, bool required) override {
    described_.positionals.push_back({name, help, required, true});
    app_->add_option(name, values, help)->type_name("")->required(required);
    if (!required) rest_ = &values;
  }
  void Elsewhere(const std::string& names, const std::string& words) override {
    for (std::size_t at = 0; at < names.size();) {
      const std::size_t end = std::min(names.find(',', at), names.size());
      elsewhere_.emplace(names.substr(at, end - at), words);
      at = end + 1;
    }
  }
  void Status(int status, const std::string& meaning) override {
    described_.statuses[status] = meaning;
    app_->footer(StatusText(described_.statuses));
  }
  void Run(std::function<int()> run) override { run_ = std::move(run); }

  // Returns the advice for an option that this command does not have; empty if there is none.
  [[nodiscard]] std::string WordsFor(const std::string& option) const {
    const auto found = elsewhere_.find(option);
    return found == elsewhere_.end() ? std::string() : found->second;
  }
  [[nodiscard]] CLI::App& app() const { return *app_; }
  [[nodiscard]] const CommandHelp& described() const { return described_; }
  // Returns the variable of the arguments of which there may be any number; null: none.
  [[nodiscard]] std::vector<std::string>* rest() const { return rest_; }
  [[nodiscard]] int Run() const { return run_ ? run_() : kUsageError; }

 private:
  CLI::App* app_;
  std::vector<std::string>* rest_ = nullptr;
  CommandHelp described_{};
  std::map<std::string, std::string> elsewhere_;
  std::function<int()> run_;
};

// Returns the option of `app` that was probably meant; empty if there is none.
std::string NearOption(const CLI::App& app, const std::string& typed) {
  if (!typed.starts_with("--")) return {};
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (internal::base::IsNear(name, typed.substr(2))) return "--" + name;
    }
  }
  return {};
}

// Returns the error for an unknown option. `command` is null if none was given.
std::string UnknownOption(const CLI::App& app, const Cli11Command* command,
                          const std::string& argument) {
  const std::string option = argument.substr(0, argument.find('='));
  std::string words;
  if (command != nullptr) {
    words = command->WordsFor(option);
    // "-fx.yaml"
    if (words.empty() && !option.starts_with("--")) words = command->WordsFor(option.substr(0, 2));
  }
  if (words.empty()) {
    const std::string near = NearOption(command == nullptr ? app : command->app(), option);
    if (!near.empty()) words = "did you mean " + near + "?";
  }
  return "unknown option " + option + (words.empty() ? "" : "; ") + words;
}

// Rewrites CLI11's "--namespace: 1 required NS missing" as a sentence; other texts are unchanged.
std::string InWords(const std::string& text) {
  constexpr std::string_view kMiddle = ": 1 required ";
  constexpr std::string_view kEnd = " missing";
  const std::size_t at = text.find(kMiddle);
  if (at == std::string::npos || !text.ends_with(kEnd)) return text;
  const std::size_t from = at + kMiddle.size();
  return text.substr(0, at) +
         " needs a value behind it: " + text.substr(from, text.size() - kEnd.size() - from);
}

// Returns an error for the first unknown word on the command line.
std::string Unexpected(const CLI::App& app, const Cli11Command* command,
                       const std::string& argument) {
  if (argument.size() > 1 && argument.front() == '-') return UnknownOption(app, command, argument);
  const std::string name = command == nullptr ? app.get_name() : command->app().get_name();
  return "unexpected argument \"" + argument + "\"; " + name + " takes no more than its usage says";
}

// Passes options before the command on to the command.
void PassOn(const CLI::App& app, CLI::App& command) {
  for (const CLI::Option* given : app.get_options()) {
    if (given->count() == 0 || given->get_lnames().empty()) continue;
    const std::string name = "--" + given->get_lnames().front();
    CLI::Option* const own = command.get_option_no_throw(name);
    if (own == nullptr) {
      throw CLI::ValidationError(command.get_name() + " has no option " + name);
    }
    if (own->count() > 0) continue;
    own->add_result(given->results());
    own->run_callback();
  }
}

}  // namespace

struct CommandLine::Impl {
  Impl(const std::string& description, const std::string& version) : app(description, "kinformer") {
    app.require_subcommand(0, 1);
    app.set_version_flag("--version", version, "print the version");
    app.footer(StatusText(UsualStatuses()));
    help_command = std::make_unique<Cli11Command>(
        app.add_subcommand("help", "Print the help of this program, or of a command"));
    Command& help = *help_command;
    help.Positional("COMMAND", help_of, /*required=*/false, "which command");
    help.Flag("--man", man, "write the page of the manual, for man");
    help.Option("--man-directory", man_directory, "DIR", "write all pages of the manual to DIR");
    described = {.name = "kinformer",
                 .description = description,
                 .version = version,
                 .statuses = UsualStatuses()};
  }
  [[nodiscard]] std::string Names() const {
    std::string names;
    for (const auto& command : commands) {
      names += (names.empty() ? "" : ", ") + command->app().get_name();
    }
    return names;
  }
  [[nodiscard]] const Cli11Command* Find(const std::string& name) const {
    for (const auto& command : commands) {
      if (command->app().get_name() == name) return command.get();
    }
    return nullptr;
  }
  [[nodiscard]] CLI::ValidationError NoCommand(const std::string& name) const {
    std::string words;
    if (const auto found = elsewhere.find(name); found != elsewhere.end()) words = found->second;
    for (const auto& command : commands) {
      const std::string& known = command->app().get_name();
      if (words.empty() && internal::base::IsNear(known, name)) {
        words = "did you mean " + known + "?";
      }
    }
    return CLI::ValidationError("\"" + name + "\" is no command; there are " + Names() +
                                (words.empty() ? "" : "; ") + words);
  }
  // Records options of one letter that also have a long name, for "-A=false".
  void NoteShort(const CLI::App& owner) {
    for (const CLI::Option* option : owner.get_options()) {
      if (option->get_snames().empty() || option->get_lnames().empty()) continue;
      long_names.emplace(option->get_snames().front(), option->get_lnames().front());
    }
  }
  // CLI11 takes everything behind an option of one letter as its value, including "=", and the next
  // argument as the value of "--name=".
  std::vector<std::string> Arguments(int argc, char** argv) {
    NoteShort(app);
    for (const auto& command : commands) NoteShort(command->app());
    std::vector<std::string> arguments;
    bool dashes = false;
    for (std::string argument : std::vector<std::string>(argv + 1, argv + argc)) {
      dashes = dashes || argument == "--";
      if (!dashes && argument.size() >= 3 && argument[0] == '-' && argument[2] == '=') {
        const auto name = long_names.find(argument.substr(1, 1));
        if (name != long_names.end()) argument.replace(0, 2, "--" + name->second);
      }
      const bool empty_value =
          !dashes && argument.starts_with("--") && argument.find('=') == argument.size() - 1;
      if (empty_value) argument.pop_back();
      arguments.push_back(std::move(argument));
      if (empty_value) arguments.emplace_back();
    }
    return arguments;
  }
  // Parses the arguments. CLI11 takes one behind "--" that is the name of a command as that
  // command, so those are added here for commands that have any number of arguments.
  void Parse(std::vector<std::string> arguments) {
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    if (dashes != arguments.end() && TakesRest({arguments.begin(), dashes})) {
      std::vector<std::string>& rest = *Asked()->rest();
      rest.insert(rest.end(), dashes + 1, arguments.end());
      return;
    }
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(std::move(arguments));
  }
  // Returns whether the arguments are complete, and their command takes more.
  bool TakesRest(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());
    try {
      app.parse(std::move(arguments));
    } catch (const CLI::Success&) {
      throw;
    } catch (const CLI::Error&) {
      return false;
    }
    return Asked() != nullptr && Asked()->rest() != nullptr;
  }
  // Returns the command that was parsed; null: none.
  [[nodiscard]] const Cli11Command* Asked() const {
    const Cli11Command* asked = nullptr;
    for (const auto& command : commands) {
      if (command->app().parsed()) asked = command.get();
    }
    return asked;
  }
  [[nodiscard]] ProgramHelp Describe() const {
    ProgramHelp all = described;
    for (const auto& command : commands) all.commands.push_back(command->described());
    all.commands.push_back(help_command->described());
    return all;
  }
  int Help() const {
    if (!man_directory.empty()) {
      const Result<void> written = WriteManual(Describe(), man_directory);
      return written ? 0 : Fail(written.error());
    }
    const Cli11Command* const command = help_of == "help" ? help_command.get() : Find(help_of);
    if (command == nullptr && !help_of.empty()) throw NoCommand(help_of);
    if (man) {
      std::cout << (command == nullptr ? ManualPage(Describe())
                                       : ManualPage(Describe(), command->described()));
      return 0;
    }
    // The program's own help() would be that of the command `help`.
    ShowPaged(command != nullptr ? command->app().help(app.get_name())
                                 : app.get_formatter()->make_help(&app, app.get_name(),
                                                                  CLI::AppFormatMode::Normal));
    return 0;
  }
  CLI::App app;
  ProgramHelp described;  // without the commands
  std::unique_ptr<Cli11Command> help_command;
  std::string help_of;
  bool man = false;
  std::string man_directory;
  std::map<std::string, std::function<int(const std::vector<std::string>&)>> hidden;
  std::map<std::string, std::string> long_names;
  std::map<std::string, std::string> elsewhere;  // commands that exist only elsewhere
  std::vector<std::unique_ptr<Cli11Command>> commands;
};

CommandLine::CommandLine(const std::string& description, const std::string& version)
    : impl_(std::make_unique<Impl>(description, version)) {}

CommandLine::~CommandLine() = default;

Command& CommandLine::Add(const std::string& name, const std::string& description) {
  impl_->commands.push_back(
      std::make_unique<Cli11Command>(impl_->app.add_subcommand(name, description)));
  return *impl_->commands.back();
}

void CommandLine::Elsewhere(const std::string& command, const std::string& words) {
  impl_->elsewhere.emplace(command, words);
}

void CommandLine::Global(const std::string& names, const std::string& value_name,
                         const std::string& help) {
  impl_->described.options.push_back({names, value_name, help});
  impl_->app.add_option(names, help)->type_name(value_name)->take_last()->group(kGlobalGroup);
}

void CommandLine::GlobalFlag(const std::string& names, const std::string& help) {
  impl_->described.options.push_back({names, "", help});
  impl_->app.add_flag(names, help)->group(kGlobalGroup);
}

void CommandLine::Hidden(const std::string& name,
                         std::function<int(const std::vector<std::string>& arguments)> run) {
  impl_->hidden.emplace(name, std::move(run));
}

ProgramHelp CommandLine::Describe() const { return impl_->Describe(); }

int CommandLine::Run(int argc, char** argv) {
  if (argc > 1) {
    const auto found = impl_->hidden.find(argv[1]);
    if (found != impl_->hidden.end()) {
      return found->second(std::vector<std::string>(argv + 2, argv + argc));
    }
  }
  const Cli11Command* asked = nullptr;
  try {
    std::string problem;
    try {
      impl_->Parse(impl_->Arguments(argc, argv));
    } catch (const CLI::ExtrasError&) {
      problem = "extras";
    }
    asked = impl_->Asked();
    const std::vector<std::string> extras = impl_->app.remaining(/*recurse=*/true);
    if (asked == nullptr && !extras.empty() && extras.front().front() != '-') {
      throw impl_->NoCommand(extras.front());
    }
    if (!extras.empty() || !problem.empty()) {
      throw CLI::ValidationError(
          Unexpected(impl_->app, asked, extras.empty() ? problem : extras.front()));
    }
    if (impl_->help_command->app().parsed()) return impl_->Help();
    if (asked == nullptr) {
      throw CLI::ValidationError("which command? There are " + impl_->Names());
    }
    PassOn(impl_->app, asked->app());
  } catch (const CLI::Success& asked_for_help) {
    return impl_->app.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    std::string command = "kinformer";
    for (const auto& candidate : impl_->commands) {
      if (candidate->app().parsed()) command += " " + candidate->app().get_name();
    }
    const std::string text = InWords(error.what());
    std::cerr << "error: " << text << (text.ends_with('?') ? " See " : ". See ") << command
              << " --help\n";
    return kUsageError;
  }
  return asked->Run();
}

}  // namespace kinformer::cli
