// kinformer crd: definitions from a program's structs, and structs from anyone's definitions.

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/manifests.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "cli/commands.h"
#include "cli/crd_structs.h"
#include "cli/printable.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;
using json::Value;

struct CrdFlags {
  std::string action{};
  std::vector<std::string> arguments{};
  std::string to{};
  bool check = false;
  std::string namespace_{};
  std::vector<std::string> versions{};
  bool descriptions = false;
};

// Returns the argument as a shell reads it back.
std::string Quoted(const std::string& argument) {
  std::string out = "'";
  for (const char c : argument) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Runs the program, and returns what it prints.
Result<std::string> OutputOf(const std::vector<std::string>& arguments) {
  std::string command = "exec";
  for (const std::string& argument : arguments) command += ' ' + Quoted(argument);
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return Error(Reason::kConfig, "cannot run " + arguments.front());
  std::string out;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    out.append(buffer.data(), n);
  }
  if (pclose(pipe) != 0) {
    return Error(Reason::kConfig, arguments.front() +
                                      " failed: it must print definitions, as "
                                      "kinformer::crd::Yaml returns them");
  }
  return out;
}

Result<std::vector<Value>> DefinitionsIn(const std::string& text, const std::string& origin) {
  const ManifestList list = ParseManifests(text, origin);
  if (!list.errors.empty()) return list.errors.front();
  std::vector<Value> out;
  for (const Manifest& manifest : list.manifests) {
    if (manifest.kind().kind != "CustomResourceDefinition") {
      return Error(Reason::kInvalidArgument,
                   manifest.place() + ": a " + manifest.kind().kind + " is no definition");
    }
    out.push_back(manifest.object);
  }
  if (out.empty()) return Error(Reason::kInvalidArgument, origin + " prints no definition");
  return out;
}

// A file and the definitions that belong into it.
struct DefinitionFile {
  fs::path path{};
  std::vector<Value> definitions{};
};

// Returns one file for all if `to` is a YAML file, and otherwise one for each, named as
// controller-gen does.
std::vector<DefinitionFile> FilesFor(std::vector<Value> definitions, const fs::path& to) {
  if (to.extension() == ".yaml" || to.extension() == ".yml") return {{to, std::move(definitions)}};
  std::vector<DefinitionFile> out;
  for (Value& definition : definitions) {
    const Value& spec = definition["spec"];
    const fs::path path = to / (spec["group"].StringOrEmpty() + "_" +
                                spec["names"]["plural"].StringOrEmpty() + ".yaml");
    out.push_back({path, {}});
    out.back().definitions.push_back(std::move(definition));
  }
  return out;
}

std::string TextOf(const std::vector<Value>& definitions) {
  std::string out;
  for (const Value& definition : definitions) out += "---\n" + yaml::Dump(definition);
  return out;
}

// Returns whether the file says the same.
Result<bool> IsUpToDate(const DefinitionFile& file) {
  if (!fs::exists(file.path)) return false;
  const ManifestList list = ReadManifests({file.path.string()});
  if (!list.errors.empty()) return list.errors.front();
  return std::equal(list.manifests.begin(), list.manifests.end(), file.definitions.begin(),
                    file.definitions.end(),
                    [](const Manifest& one, const Value& other) { return one.object == other; });
}

int Generate(const CrdFlags& flags) {
  const Result<std::string> text = OutputOf(flags.arguments);
  if (!text) return Fail(text.error());
  Result<std::vector<Value>> definitions = DefinitionsIn(*text, flags.arguments.front());
  if (!definitions) return Fail(definitions.error());
  if (flags.to.empty()) {
    std::cout << TextOf(*definitions);
    return 0;
  }
  int status = 0;
  for (const DefinitionFile& file : FilesFor(*std::move(definitions), flags.to)) {
    const Result<bool> same = IsUpToDate(file);
    if (!same.ok()) return Fail(same.error());
    if (*same) continue;
    if (flags.check) {
      std::cout << Printable(file.path.string()) << " differs from the structs\n";
      status = kFailure;
      continue;
    }
    std::ofstream out(file.path);
    out << TextOf(file.definitions);
    if (!out.flush()) return Fail(Error(Reason::kConfig, "cannot write " + file.path.string()));
    std::cout << Printable(file.path.string()) << '\n';
  }
  return status;
}

int Types(const CrdFlags& flags) {
  const ManifestList list = ReadManifests(flags.arguments, {.input = &std::cin});
  for (const Error& error : list.errors) return Fail(error);
  std::vector<Value> definitions;
  for (const Manifest& manifest : list.manifests) definitions.push_back(manifest.object);
  const Result<std::string> text = CrdStructs(definitions, {.namespace_ = flags.namespace_,
                                                            .versions = flags.versions,
                                                            .descriptions = flags.descriptions});
  if (!text) return Fail(text.error());
  std::cout << *text;
  return 0;
}

int RunCrd(const CrdFlags& flags) {
  const bool generate = flags.action == "gen";
  if (!generate && flags.action != "types") {
    return UsageError("crd " + flags.action + " is unknown: write `crd gen` or `crd types`");
  }
  if (flags.arguments.empty()) {
    return UsageError(generate ? "which program? Write `kinformer crd gen PROGRAM`"
                               : "which definitions? Write `kinformer crd types FILE`");
  }
  if (generate && (flags.descriptions || !flags.versions.empty() || !flags.namespace_.empty())) {
    return UsageError("--cpp-namespace, --api-version and --descriptions go with types");
  }
  if (!generate && (flags.check || !flags.to.empty())) {
    return UsageError("--to and --check go with gen");
  }
  if (flags.check && flags.to.empty()) return UsageError("--check compares the files of --to");
  return generate ? Generate(flags) : Types(flags);
}

}  // namespace

void RegisterCrd(CommandLine& line) {
  auto flags = std::make_shared<CrdFlags>();
  Command& command = line.Add("crd",
                              "Make definitions from a program's structs, or structs from "
                              "definitions");
  command.Positional("ACTION", flags->action, /*required=*/true,
                     "gen: run a program that prints kinformer::crd::Yaml, and write its "
                     "definitions; types: write structs for definitions");
  command.Positionals("ARGUMENT", flags->arguments,
                      "gen: the program and its arguments; types: files, folders or - with "
                      "CustomResourceDefinitions",
                      /*required=*/false);
  command.Option(
      "--to", flags->to, "PATH",
      "gen: write a file for each definition into this folder, or all into a .yaml file");
  command.Flag("--check", flags->check,
               "gen: write nothing; fail if a file of --to differs from the structs");
  command.Option("--cpp-namespace", flags->namespace_, "NAME",
                 "types: namespace of the structs; by default the first part of the group");
  command.Each("--api-version", flags->versions, "VERSION",
               "types: a version to write; by default all that are served");
  command.Flag("--descriptions", flags->descriptions,
               "types: keep descriptions for `crd gen`, not only as comments");
  command.Status(kFailure, "a definition cannot be read or written, or --check found a difference");
  command.Run([flags] { return RunCrd(*flags); });
}

}  // namespace kinformer::cli
