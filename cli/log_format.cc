#include "cli/log_format.h"

#include <array>
#include <cstddef>

#include "kinformer/json/json.h"

#include "cli/printable.h"

namespace kinformer::cli {
namespace {

constexpr char kPlain[] = "\x1b[0m";

// The colour of a pod stays the same from run to run.
std::string_view ColorOf(const std::string& pod) {
  constexpr std::array<std::string_view, 10> kColors{"\x1b[36m", "\x1b[32m", "\x1b[35m", "\x1b[33m",
                                                     "\x1b[34m", "\x1b[96m", "\x1b[92m", "\x1b[95m",
                                                     "\x1b[93m", "\x1b[94m"};
  std::size_t sum = 0;
  for (const char c : pod) sum = sum * 31 + static_cast<unsigned char>(c);
  return kColors[sum % kColors.size()];
}

std::string NameOf(const LogSource& source, const LogFormat& format) {
  std::string text;
  if (format.colors) text += ColorOf(source.pod);
  if (format.namespaces) text += source.namespace_ + " ";
  text += source.pod + " " + source.container;
  if (format.colors) text += kPlain;
  return text;
}

std::string Json(const LogRecord& record) {
  json::Value line = json::Value::MakeObject();
  if (!record.line.time.empty()) line.Set("time", record.line.time);
  line.Set("namespace", record.source.namespace_);
  line.Set("pod", record.source.pod);
  line.Set("container", record.source.container);
  line.Set("message", record.line.text);
  return PrintableJson(line.Dump());
}

}  // namespace

std::string FormatLine(const LogRecord& record, const LogFormat& format) {
  if (format.form == LogFormat::Form::kJson) return Json(record);
  std::string text;
  if (format.prefix) {
    if (format.colors) text += ColorOf(record.source.pod);
    text += "[pod/" + record.source.pod + "/" + record.source.container + "]";
    if (format.colors) text += kPlain;
    text += " ";
  } else if (format.form == LogFormat::Form::kPods) {
    text += NameOf(record.source, format) + " ";
  }
  if (format.timestamps && !record.line.time.empty()) {
    text.append(record.line.time).append(" ");
  }
  return text.append(record.line.text);
}

std::string FormatNotice(const LogNotice& notice, const LogFormat& format) {
  const std::string name = NameOf(notice.source, format);
  const std::string words = Printable(notice.words);
  switch (notice.kind) {
    case LogNotice::Kind::kBegins:
      return "+ " + name;
    case LogNotice::Kind::kEnds:
      return "- " + name + (words.empty() ? "" : " (" + words + ")");
    case LogNotice::Kind::kCut:
      return "warning: the log of " + name + " was cut: " + words + "; trying again";
    case LogNotice::Kind::kFails:
      return "error: the log of " + name + " cannot be read: " + words;
    case LogNotice::Kind::kWaits:
      return "warning: the log of " + name + " waits: " + words +
             "; --max-log-requests allows more";
  }
  return {};
}

}  // namespace kinformer::cli
