#include "cli/completion_words.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "cli/printable.h"

namespace kinformer::cli {
namespace {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Returns "namespace" of "-n,--namespace".
std::string LongName(const OptionHelp& option) {
  for (const std::string& name : Split(option.names, ',')) {
    if (name.starts_with("--")) return name.substr(2);
  }
  return option.names;
}

const CommandHelp* FindCommand(const ProgramHelp& program, const std::string& name) {
  for (const CommandHelp& command : program.commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

// Returns the options that may stand on this line: the command's, or those before it.
const std::vector<OptionHelp>& OptionsOf(const ProgramHelp& program, const CommandHelp* command) {
  return command == nullptr ? program.options : command->options;
}

const OptionHelp* FindOption(const std::vector<OptionHelp>& options, const std::string& name) {
  for (const OptionHelp& option : options) {
    const std::vector<std::string> names = Split(option.names, ',');
    if (std::find(names.begin(), names.end(), name) != names.end()) return &option;
  }
  return nullptr;
}

// An option as it is typed: "--namespace", "--namespace=a", "-n", "-na", "-n=a".
struct TypedOption {
  const OptionHelp* option = nullptr;
  std::string head{};  // what stands before the value: "--namespace="
  std::string value{};
  bool has_value = false;
};

TypedOption ReadOption(const std::vector<OptionHelp>& options, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos) {
    return {FindOption(options, word.substr(0, equals)), word.substr(0, equals + 1),
            word.substr(equals + 1), true};
  }
  if (word.starts_with("--") || word.size() < 3) return {FindOption(options, word), "", "", false};
  const OptionHelp* const option = FindOption(options, word.substr(0, 2));
  if (option == nullptr || option->value.empty()) return {};
  return {option, word.substr(0, 2), word.substr(2), true};
}

std::vector<Candidate> Words(const std::vector<std::string>& words) {
  std::vector<Candidate> candidates;
  for (const std::string& word : words) candidates.push_back({word, ""});
  return candidates;
}

// Words of positionals that no other text lists.
std::vector<std::string> ChoicesOf(const std::string& command, const std::string& positional) {
  if (command == "config" && positional == "ACTION") {
    return {"view", "contexts", "current-context", "use", "check"};
  }
  if (command == "completion" && positional == "SHELL") return {"bash", "zsh", "fish"};
  return {};
}

class Completer {
 public:
  Completer(const ProgramHelp& program, const TypedLine& typed, LiveNames& names)
      : program_(program), typed_(typed), names_(names) {}

  Completion Run() {
    const std::string& last = typed_.last;
    if (typed_.unknown) return {};
    if (typed_.awaiting != nullptr) {
      AddValues(*typed_.awaiting, "");
    } else if (last.starts_with('-') && !typed_.behind_dashes) {
      AddOption(last);
    } else if (typed_.command == nullptr) {
      AddCommands();
    } else {
      AddPositional();
    }
    std::erase_if(done_.candidates,
                  [&](const Candidate& candidate) { return !candidate.word.starts_with(last); });
    return std::move(done_);
  }

 private:
  void Add(std::vector<Candidate> candidates, const std::string& head, const char* tail = "") {
    for (Candidate& candidate : candidates) {
      done_.candidates.push_back({head + candidate.word + tail, std::move(candidate.help)});
    }
  }

  void AddCommands() {
    for (const CommandHelp& command : program_.commands) {
      done_.candidates.push_back({command.name, command.description});
    }
  }

  void AddOption(const std::string& last) {
    const std::vector<OptionHelp>& options = OptionsOf(program_, typed_.command);
    const TypedOption typed = ReadOption(options, last);
    if (typed.has_value) {
      if (typed.option != nullptr) AddValues(*typed.option, typed.head);
      return;
    }
    for (const OptionHelp& option : options) {
      for (const std::string& name : Split(option.names, ',')) {
        done_.candidates.push_back({name, option.help});
      }
    }
    done_.candidates.push_back({"--help", "print the help and exit"});
    if (typed_.command == nullptr) done_.candidates.push_back({"--version", "print the version"});
  }

  void AddValues(const OptionHelp& option, const std::string& head) {
    const std::string name = LongName(option);
    if (!option.choices.empty()) {
      Add(Words(option.choices), head);
    } else if (option.value == "FILE" || option.value == "DIR") {
      done_.files = true;
    } else if (name == "namespace") {
      Add(names_.Objects("namespaces", ""), head);
    } else if (name == "context") {
      Add(names_.Contexts(), head);
    }
  }

  // Returns the positional that the last word is; null if there are too many words.
  [[nodiscard]] const PositionalHelp* Positional() const {
    const std::vector<PositionalHelp>& all = typed_.command->positionals;
    if (typed_.positionals.size() < all.size()) return &all[typed_.positionals.size()];
    return all.empty() || !all.back().repeated ? nullptr : &all.back();
  }

  void AddPositional() {
    const PositionalHelp* const positional = Positional();
    if (positional == nullptr) return;
    const std::string& command = typed_.command->name;
    const std::vector<std::string>& before = typed_.positionals;
    const std::vector<std::string> choices = ChoicesOf(command, positional->name);
    if (!choices.empty()) {
      Add(Words(choices), "");
    } else if (positional->name == "COMMAND" && command == "help") {
      AddCommands();
    } else if (positional->name.find("FILE") != std::string::npos || positional->name == "DIR") {
      done_.files = true;
    } else if (command == "config" && !before.empty() && before.front().starts_with("use")) {
      Add(names_.Contexts(), "");
    } else if (positional->name == "POD") {
      AddObjects("pods", "");
    } else if (positional->name == "NAME" && before.size() == 1 && command != "config") {
      AddObjects(before.front(), "");
    } else if (positional->name == "RESOURCE") {
      AddResource(before, command != "explain");
    }
  }

  // Adds resources, or objects of the resource that is already there.
  void AddResource(const std::vector<std::string>& before, bool takes_names) {
    const std::string& last = typed_.last;
    const std::size_t slash = last.find('/');
    const bool slashed = !before.empty() && before.front().find('/') != std::string::npos;
    if (!takes_names) {
      Add(names_.Resources(), "");
    } else if (slash != std::string::npos) {
      AddObjects(last.substr(0, slash), last.substr(0, slash + 1));
    } else if (slashed) {
      done_.no_space = true;
      Add(names_.Resources(), "", "/");
    } else if (!before.empty()) {
      AddObjects(before.front(), "");
    } else {
      // po,svc: the last of several.
      const std::size_t comma = last.rfind(',');
      Add(names_.Resources(), comma == std::string::npos ? "" : last.substr(0, comma + 1));
    }
  }

  // Adds the objects that the line does not have yet.
  void AddObjects(const std::string& resource, const std::string& head) {
    const auto given = typed_.values.find("namespace");
    std::vector<Candidate> objects =
        names_.Objects(resource, given == typed_.values.end() ? "" : given->second);
    std::erase_if(objects, [&](const Candidate& object) {
      return std::find(typed_.positionals.begin(), typed_.positionals.end(), head + object.word) !=
             typed_.positionals.end();
    });
    Add(std::move(objects), head);
  }

  const ProgramHelp& program_;
  const TypedLine& typed_;
  LiveNames& names_;
  Completion done_;
};

}  // namespace

TypedLine ReadTyped(const ProgramHelp& program, const std::vector<std::string>& words) {
  TypedLine typed;
  if (words.empty()) return typed;
  typed.last = words.back();
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (typed.awaiting != nullptr) {
      typed.values[LongName(*std::exchange(typed.awaiting, nullptr))] = word;
    } else if (typed.behind_dashes || word.size() < 2 || word[0] != '-') {
      if (typed.command == nullptr) {
        typed.command = FindCommand(program, word);
        if (typed.command == nullptr) {
          typed.unknown = true;
          return typed;
        }
      } else {
        typed.positionals.push_back(word);
      }
    } else if (word == "--") {
      typed.behind_dashes = true;
    } else {
      const TypedOption option = ReadOption(OptionsOf(program, typed.command), word);
      if (option.option == nullptr) continue;
      if (option.has_value) {
        typed.values[LongName(*option.option)] = option.value;
      } else if (!option.option->value.empty()) {
        typed.awaiting = option.option;
      } else {
        typed.values[LongName(*option.option)] = "true";
      }
    }
  }
  return typed;
}

Completion Complete(const ProgramHelp& program, const TypedLine& typed, LiveNames& names) {
  return Completer(program, typed, names).Run();
}

std::string CompletionText(const Completion& completion) {
  std::string text;
  for (const Candidate& candidate : completion.candidates) {
    text += Printable(candidate.word);
    if (!candidate.help.empty()) text += "\t" + Printable(candidate.help);
    text += "\n";
  }
  return text + (completion.files ? ":files\n" : completion.no_space ? ":nospace\n" : ":words\n");
}

}  // namespace kinformer::cli
