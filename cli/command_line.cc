#include "cli/command_line.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>

namespace kinformer::cli {
namespace {

// A hundred years: much more than that does not fit into a Duration.
constexpr double kMostSeconds = 100.0 * 365 * 24 * 3600;
constexpr char kGlobalGroup[] = "Options before or after the command";

// "1m30s" in seconds. Throws CLI11's validation error, which becomes a usage error.
double ParseSeconds(const std::string& text) {
  double total = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t used = 0;
    double number = 0;
    try {
      number = std::stod(text.substr(at), &used);
    } catch (const std::exception&) {
      used = 0;
    }
    at += used;
    std::size_t end = at;
    while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
    const std::string unit = text.substr(at, end - at);
    at = end;
    const double factor = unit == "h"    ? 3600
                          : unit == "m"  ? 60
                          : unit == "s"  ? 1
                          : unit == "ms" ? 1e-3
                                         : -1;
    if (used == 0 || factor < 0 || number < 0) {
      throw CLI::ValidationError("\"" + text + "\" is no duration; write it like 20s or 1m30s");
    }
    total += number * factor;
  }
  if (!(total <= kMostSeconds)) {
    throw CLI::ValidationError("\"" + text + "\" is too long; at most 100 years");
  }
  return total;
}

class Cli11Command final : public Command {
 public:
  explicit Cli11Command(CLI::App* app) : app_(app) {}
  void Flag(const std::string& names, bool& value, const std::string& help) override {
    app_->add_flag(names, value, help);
  }
  void Option(const std::string& names, std::string& value, const std::string& value_name,
              const std::string& help) override {
    app_->add_option(names, value, help)->type_name(value_name)->take_last();
  }
  void Option(const std::string& names, std::optional<std::string>& value,
              const std::string& value_name, const std::string& help) override {
    app_->add_option(names, value, help)->type_name(value_name)->take_last();
  }
  void Options(const std::string& names, std::vector<std::string>& values,
               const std::string& value_name, const std::string& help) override {
    app_->add_option(names, values, help)->type_name(value_name);
  }
  void Choice(const std::string& names, std::string& value, const std::vector<std::string>& choices,
              const std::string& help) override {
    std::string all;
    for (const std::string& choice : choices) all += (all.empty() ? "" : "|") + choice;
    app_->add_option(names, value, help)
        ->type_name(all)
        ->take_last()
        ->check(CLI::Validator(
            [choices, all](const std::string& given) {
              for (const std::string& choice : choices) {
                if (choice == given) return std::string();
              }
              return "\"" + given + "\" is none of " + all;
            },
            ""));
  }
  void Seconds(const std::string& names, double& value, const std::string& help) override {
    app_->add_option_function<std::string>(
            names, [&value](const std::string& text) { value = ParseSeconds(text); }, help)
        ->type_name("DURATION")
        ->take_last();
  }
  void Positional(const std::string& name, std::string& value, bool required,
                  const std::string& help) override {
    CLI::Option* const option = app_->add_option(name, value, help)->type_name("");
    if (required) option->required();
  }
  void Positionals(const std::string& name, std::vector<std::string>& values,
                   const std::string& help) override {
    app_->add_option(name, values, help)->type_name("")->required();
  }
  void Run(std::function<int()> run) override { run_ = std::move(run); }

  [[nodiscard]] CLI::App& app() const { return *app_; }
  [[nodiscard]] int Run() const { return run_ ? run_() : kUsageError; }

 private:
  CLI::App* app_;
  std::function<int()> run_;
};

// What stands on the command line and means nothing, in order.
std::string Unexpected(const std::string& command, const std::vector<std::string>& extras) {
  const std::string& first = extras.front();
  if (first.size() > 1 && first.front() == '-') {
    return "unknown option " + first.substr(0, first.find('='));
  }
  return "unexpected argument \"" + first + "\"; " + command + " takes no more than its usage says";
}

// Gives to the command what stood before it.
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
    help = app.add_subcommand("help", "Print the help of this program, or of a command");
    help->add_option("COMMAND", help_of, "which command")->type_name("");
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
    return CLI::ValidationError("\"" + name + "\" is no command; there are " + Names());
  }
  // The names of an option of one letter, if it has a long one, for "-A=false".
  void NoteShort(const CLI::App& owner) {
    for (const CLI::Option* option : owner.get_options()) {
      if (option->get_snames().empty() || option->get_lnames().empty()) continue;
      long_names.emplace(option->get_snames().front(), option->get_lnames().front());
    }
  }
  // CLI11 takes what stands behind an option of one letter for its value, "=" included.
  std::vector<std::string> Arguments(int argc, char** argv) {
    NoteShort(app);
    for (const auto& command : commands) NoteShort(command->app());
    std::vector<std::string> arguments(argv + 1, argv + argc);
    for (std::string& argument : arguments) {
      if (argument == "--") break;
      if (argument.size() < 3 || argument[0] != '-' || argument[2] != '=') continue;
      const auto name = long_names.find(argument.substr(1, 1));
      if (name != long_names.end()) argument.replace(0, 2, "--" + name->second);
    }
    return arguments;
  }
  int Help() const {
    const Cli11Command* const command = Find(help_of);
    if (command == nullptr && !help_of.empty()) throw NoCommand(help_of);
    // The program's own help() would be that of the command `help`.
    std::cout << (command != nullptr ? command->app().help(app.get_name())
                                     : app.get_formatter()->make_help(&app, app.get_name(),
                                                                      CLI::AppFormatMode::Normal));
    return 0;
  }
  CLI::App app;
  CLI::App* help = nullptr;
  std::string help_of;
  std::map<std::string, std::string> long_names;
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

void CommandLine::Global(const std::string& names, const std::string& value_name,
                         const std::string& help) {
  impl_->app.add_option(names, help)->type_name(value_name)->take_last()->group(kGlobalGroup);
}

void CommandLine::GlobalFlag(const std::string& names, const std::string& help) {
  impl_->app.add_flag(names, help)->group(kGlobalGroup);
}

int CommandLine::Run(int argc, char** argv) {
  const Cli11Command* asked = nullptr;
  try {
    std::string problem;
    try {
      std::vector<std::string> arguments = impl_->Arguments(argc, argv);
      std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
      impl_->app.parse(std::move(arguments));
    } catch (const CLI::ExtrasError&) {
      problem = "extras";
    }
    for (const auto& command : impl_->commands) {
      if (command->app().parsed()) asked = command.get();
    }
    const std::vector<std::string> extras = impl_->app.remaining(/*recurse=*/true);
    if (asked == nullptr && !extras.empty() && extras.front().front() != '-') {
      throw impl_->NoCommand(extras.front());
    }
    if (!extras.empty() || !problem.empty()) {
      const std::string command = asked == nullptr ? "kinformer" : asked->app().get_name();
      throw CLI::ValidationError(Unexpected(command, extras));
    }
    if (impl_->help->parsed()) return impl_->Help();
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
    std::cerr << "error: " << error.what() << ". See " << command << " --help\n";
    return kUsageError;
  }
  return asked->Run();
}

}  // namespace kinformer::cli
