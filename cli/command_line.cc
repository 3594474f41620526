#include "cli/command_line.h"

#include <iostream>
#include <utility>

#include <CLI/CLI.hpp>

namespace kinformer::cli {
namespace {

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
  explicit Impl(const std::string& description) : app(description, "kinformer") {
    app.require_subcommand(0, 1);
  }
  std::string Names() const {
    std::string names;
    for (const auto& command : commands) {
      names += (names.empty() ? "" : ", ") + command->app().get_name();
    }
    return names;
  }
  CLI::App app;
  std::vector<std::unique_ptr<Cli11Command>> commands;
};

CommandLine::CommandLine(const std::string& description)
    : impl_(std::make_unique<Impl>(description)) {}

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
      impl_->app.parse(argc, argv);
    } catch (const CLI::ExtrasError&) {
      problem = "extras";
    }
    for (const auto& command : impl_->commands) {
      if (command->app().parsed()) asked = command.get();
    }
    const std::vector<std::string> extras = impl_->app.remaining(/*recurse=*/true);
    if (asked == nullptr && !extras.empty() && extras.front().front() != '-') {
      throw CLI::ValidationError("\"" + extras.front() + "\" is no command; there are " +
                                 impl_->Names());
    }
    if (!extras.empty() || !problem.empty()) {
      const std::string command = asked == nullptr ? "kinformer" : asked->app().get_name();
      throw CLI::ValidationError(Unexpected(command, extras));
    }
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
