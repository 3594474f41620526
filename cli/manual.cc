#include "cli/manual.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <system_error>
#include <vector>

namespace kinformer::cli {
namespace {

// Returns text in which roff sees no commands: hyphens stay hyphens, for copies of options.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool at_start = out.empty() || out.back() == '\n';
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Bold(std::string_view text) { return "\\fB" + Escaped(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Escaped(text) + "\\fR"; }

std::string Upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string Heading(std::string_view text) { return ".SH " + std::string(text) + "\n"; }

// Returns a term with its explanation behind it.
std::string Term(const std::string& term, std::string_view text) {
  return ".TP\n" + term + "\n" + Escaped(text) + "\n";
}

// Returns "-n, --namespace NS".
std::string Names(const OptionHelp& option) {
  std::string text;
  for (std::size_t at = 0; at < option.names.size();) {
    const std::size_t end = std::min(option.names.find(',', at), option.names.size());
    text += (text.empty() ? "" : ", ") + Bold(option.names.substr(at, end - at));
    at = end + 1;
  }
  if (!option.value.empty()) text += " " + Italic(option.value);
  return text;
}

std::string Options(const std::vector<OptionHelp>& options) {
  std::string text;
  for (const OptionHelp& option : options) text += Term(Names(option), option.help);
  return text;
}

std::string Statuses(const std::map<int, std::string>& statuses) {
  std::string text = Heading("EXIT STATUS");
  for (const auto& [status, meaning] : statuses) {
    text += Term(Bold(std::to_string(status)), meaning);
  }
  return text;
}

std::string Title(const ProgramHelp& program, const std::string& name) {
  return ".TH \"" + Upper(name) + "\" 1 \"\" \"" + program.version + "\" \"" + program.name +
         "\"\n";
}

}  // namespace

std::string ManualPage(const ProgramHelp& program) {
  std::string page = Title(program, program.name) + Heading("NAME") + Escaped(program.name) +
                     " \\- " + Escaped(program.description) + "\n" + Heading("SYNOPSIS") +
                     Bold(program.name) + " " + Italic("COMMAND") + " [" + Italic("OPTIONS") +
                     "]\n" + Heading("COMMANDS");
  std::string pages;
  for (const CommandHelp& command : program.commands) {
    page += Term(Bold(command.name), command.description);
    pages += ".br\n" + Bold(program.name + "-" + command.name) + "(1)\n";
  }
  page += Heading("OPTIONS BEFORE OR AFTER THE COMMAND") + Options(program.options);
  page += Statuses(program.statuses);
  return page + Heading("SEE ALSO") + pages;
}

std::string ManualPage(const ProgramHelp& program, const CommandHelp& command) {
  std::string page = Title(program, program.name + "-" + command.name) + Heading("NAME") +
                     Escaped(program.name + "-" + command.name) + " \\- " +
                     Escaped(command.description) + "\n" + Heading("SYNOPSIS") +
                     Bold(program.name + " " + command.name);
  if (!command.options.empty()) page += " [" + Italic("OPTIONS") + "]";
  for (const PositionalHelp& positional : command.positionals) {
    const std::string name = Italic(positional.name) + (positional.repeated ? "..." : "");
    page += positional.required ? " " + name : " [" + name + "]";
  }
  page += "\n";
  if (!command.positionals.empty()) page += Heading("ARGUMENTS");
  for (const PositionalHelp& positional : command.positionals) {
    page += Term(Italic(positional.name), positional.help);
  }
  if (!command.options.empty()) page += Heading("OPTIONS") + Options(command.options);
  page += Statuses(command.statuses);
  return page + Heading("SEE ALSO") + Bold(program.name) + "(1)\n";
}

Result<void> WriteManual(const ProgramHelp& program, const std::string& folder) {
  std::map<std::string, std::string> pages{{program.name, ManualPage(program)}};
  for (const CommandHelp& command : program.commands) {
    pages.emplace(program.name + "-" + command.name, ManualPage(program, command));
  }
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  for (const auto& [name, text] : pages) {
    const std::string path = (std::filesystem::path(folder) / (name + ".1")).string();
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) return Error(Reason::kConfig, path + ": cannot be written");
  }
  return {};
}

}  // namespace kinformer::cli
