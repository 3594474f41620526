#include "cli/format.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/text/edit_distance.h"
#include "cli/kubectl_habits.h"
#include "cli/output.h"

namespace kinformer::cli {

void AddFormatFlags(Command& command, FormatFlags& flags) {
  command.Option("-o,--output", flags.output, "FORM",
                 "what to print of each object: wide, name, json, yaml, jsonpath=TEMPLATE, "
                 "jsonpath-as-json=TEMPLATE, jsonpath-file=FILE, custom-columns=TITLE:PATH,..., "
                 "custom-columns-file=FILE, go-template=TEMPLATE, go-template-file=FILE");
  command.Option("--template", flags.template_, "TEMPLATE",
                 "a Go template, or the template or file for an -o that has none");
  command.Flag("--allow-missing-template-keys", flags.allow_missing_template_keys,
               "print nothing for a member that is missing; =false makes it an error");
  command.Flag("--show-managed-fields", flags.show_managed_fields,
               "print metadata.managedFields, too");
  command.Flag("--show-labels", flags.show_labels, "add a column with all labels");
  command.Each("-L,--label-columns", flags.label_columns, "LABEL",
               "add a column for each of these labels: -L app,tier");
  command.Flag("--show-kind", flags.show_kind, "print names with their kind: pod/web-0");
  command.Flag("--no-headers", flags.no_headers, "print no line of titles");
}

namespace {

using Form = Format::Form;

Error Invalid(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

// A form that may need an argument, as in NAME=ARGUMENT.
struct Kind {
  std::string_view name;
  Form form;
  bool argument = false;
  bool file = false;
  bool as_json = false;
};

constexpr Kind kKinds[] = {
    {"", Form::kTable},
    {"wide", Form::kWide},
    {"name", Form::kName},
    {"json", Form::kJson},
    {"yaml", Form::kYaml},
    {"jsonpath", Form::kJsonPath, true},
    {"jsonpath-as-json", Form::kJsonPath, true, false, true},
    {"jsonpath-file", Form::kJsonPath, true, true},
    {"custom-columns", Form::kCustomColumns, true},
    {"custom-columns-file", Form::kCustomColumns, true, true},
    {"go-template", Form::kGoTemplate, true},
    {"go-template-file", Form::kGoTemplate, true, true},
    {"template", Form::kGoTemplate, true},
    {"templatefile", Form::kGoTemplate, true, true},
};

Error NoSuchForm(std::string_view given) {
  std::string all;
  for (const Kind& kind : kKinds) {
    if (kind.name.empty() || kind.name.starts_with("template")) continue;
    all += (all.empty() ? "" : "|") + std::string(kind.name) + (kind.argument ? "=..." : "");
  }
  std::string words = OutputHabit(given);
  for (const Kind& kind : kKinds) {
    if (words.empty() && internal::base::IsNear(kind.name, given.substr(0, given.find('=')))) {
      words = "did you mean " + std::string(kind.name) + "?";
    }
  }
  return Invalid("-o: \"" + std::string(given) + "\" is none of " + all +
                 (words.empty() ? "" : "; ") + words);
}

Result<std::string> ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad()) return Error(Reason::kConfig, path + ": cannot be read");
  return text;
}

// Reads the template of one of the forms with an argument.
Result<void> ReadTemplate(const Kind& kind, const std::string& text, bool allow_missing,
                          Format& format) {
  if (kind.form == Form::kJsonPath) {
    Result<json::JSONPath> path = json::JSONPath::Parse(
        text, {.allow_missing_keys = allow_missing, .json_output = kind.as_json});
    if (!path) return std::move(path).error();
    format.path = *std::move(path);
  } else if (kind.form == Form::kCustomColumns) {
    Result<CustomColumns> columns =
        kind.file ? CustomColumns::ParseFile(text) : CustomColumns::Parse(text);
    if (!columns) return std::move(columns).error();
    format.columns = *std::move(columns);
  } else {
    Result<GoTemplate> parsed = GoTemplate::Parse(text, {.missing_keys_fail = !allow_missing});
    if (!parsed) return std::move(parsed).error();
    format.go_template = std::make_shared<const GoTemplate>(*std::move(parsed));
  }
  return {};
}

}  // namespace

Result<Format> ReadFormat(const FormatFlags& flags) {
  const std::string& given = flags.output;
  const std::size_t equals = std::min(given.find('='), given.size());
  std::string name = given.substr(0, equals);
  if (given.empty() && !flags.template_.empty()) name = "go-template";
  const Kind* const kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                        [&](const Kind& one) { return one.name == name; });
  if (kind == std::end(kKinds)) return NoSuchForm(given);
  if (!kind->argument && equals < given.size()) return Invalid("-o " + name + " takes no value");
  Format format{.form = kind->form,
                .show_managed_fields = flags.show_managed_fields,
                .show_labels = flags.show_labels,
                .show_kind = flags.show_kind,
                .no_headers = flags.no_headers};
  for (const std::string& labels : flags.label_columns) {
    for (std::size_t at = 0; at <= labels.size();) {
      const std::size_t end = std::min(labels.find(',', at), labels.size());
      if (end > at) format.label_columns.push_back(labels.substr(at, end - at));
      at = end + 1;
    }
  }
  // kubectl ignores the other options about tables.
  if (format.show_labels && !format.is_table()) {
    return Invalid("--show-labels adds to tables, and does not go with -o " + name);
  }
  if (!kind->argument) {
    if (!flags.template_.empty()) return Invalid("--template does not go with -o " + name);
    return format;
  }
  std::string argument = equals < given.size() ? given.substr(equals + 1) : flags.template_;
  if (argument.empty()) {
    return Invalid("-o " + name + " needs a " + (kind->file ? "file" : "template") + ": write -o " +
                   name + "=...");
  }
  std::string place = "-o " + name;
  if (kind->file) {
    place += "=" + argument;
    Result<std::string> text = ReadText(argument);
    if (!text) return std::move(text).error();
    argument = *std::move(text);
  }
  Result<void> read = ReadTemplate(*kind, argument, flags.allow_missing_template_keys, format);
  if (!read) return Invalid(place + ": " + read.error().message());
  return format;
}

Result<std::string> DocumentPrinter::Print(const json::Value& document) {
  const bool first = !std::exchange(has_printed_, true);
  switch (format_.form) {
    case Form::kJson:
      return KubectlJson(document) + "\n";
    case Form::kYaml:
      return (first ? "" : "---\n") + KubectlYaml(document);
    case Form::kJsonPath: {
      Result<std::string> text = format_.path->Execute(document);
      if (!text) return Invalid("-o jsonpath: " + std::string(text.error().message()));
      return SafeText(*text);
    }
    case Form::kGoTemplate: {
      Result<std::string> text = format_.go_template->Execute(document);
      if (!text) return Invalid("-o go-template: " + std::string(text.error().message()));
      return SafeText(*text);
    }
    default:
      return std::string();
  }
}

}  // namespace kinformer::cli
