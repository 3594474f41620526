#include "cli/command_line.h"

#include <iostream>
#include <utility>

#include <CLI/CLI.hpp>

namespace kinformer::cli {
namespace {

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
    app_->add_option(names, value, help)->type_name(value_name);
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
        ->type_name("DURATION");
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

}  // namespace

struct CommandLine::Impl {
  explicit Impl(const std::string& description) : app(description, "kinformer") {
    app.require_subcommand(1);
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

int CommandLine::Run(int argc, char** argv) {
  try {
    impl_->app.parse(argc, argv);
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
  for (const auto& command : impl_->commands) {
    if (command->app().parsed()) return command->Run();
  }
  return kUsageError;
}

}  // namespace kinformer::cli
