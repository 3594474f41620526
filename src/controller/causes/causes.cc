#include "kinformer/controller/causes.h"

#include <string_view>
#include <utility>

#include "controller/causes/cause_more.h"
#include "controller/causes/causes_of.h"
#include "controller/causes/changed_fields.h"

namespace kinformer {
namespace {

void AppendWord(std::string& text, std::string_view word) {
  if (word.empty()) return;
  if (!text.empty()) text += ' ';
  text += word;
}

std::string VersionText(std::uint64_t version) {
  return version == 0 ? std::string() : std::to_string(version);
}

}  // namespace

std::string_view CauseTypeName(CauseType type) {
  switch (type) {
    case CauseType::kAdded:
      return "added";
    case CauseType::kInitialList:
      return "initial list";
    case CauseType::kUpdated:
      return "updated";
    case CauseType::kDeleted:
      return "deleted";
    case CauseType::kResync:
      return "resync";
    case CauseType::kChannel:
      return "channel";
    case CauseType::kSource:
      return "source";
    case CauseType::kRetry:
      return "retry";
    case CauseType::kRequeue:
      return "requeue";
    case CauseType::kTimer:
      return "timer";
    case CauseType::kUnparked:
      return "own write seen";
  }
  return "";
}

std::string Cause::ToString() const {
  std::string text(CauseTypeName(type));
  AppendWord(text, kind);
  if (!object.name.empty()) AppendWord(text, object.ToString());
  if (!old_version.empty() && !new_version.empty()) {
    AppendWord(text, old_version + " -> " + new_version);
  } else {
    AppendWord(text, new_version);
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    AppendWord(text, fields[i] + (i + 1 < fields.size() ? "," : ""));
  }
  if (!manager.empty()) AppendWord(text, "by " + manager);
  if (attempt > 0) AppendWord(text, std::to_string(attempt));
  if (!error.empty()) AppendWord(text, "after " + error);
  return text;
}

std::string Causes::ToString() const {
  std::string text;
  for (const Cause& cause : list) text.append(text.empty() ? "" : "; ").append(cause.ToString());
  if (left_out > 0) text += "; and " + std::to_string(left_out) + " more";
  return text;
}

Causes internal::CausesOf(const CauseNote& note, const RequestFacts& request) {
  Causes causes;
  causes.left_out = note.left_out();
  causes.list.reserve(note.size());
  for (std::size_t i = 0; i < note.size(); ++i) {
    const RawCause& raw = note[i];
    Cause& cause = causes.list.emplace_back();
    cause.type = raw.type;
    cause.at = raw.at;
    if (raw.kind != nullptr) cause.kind = KindName(*raw.kind);
    cause.old_version = VersionText(raw.before);
    cause.new_version = VersionText(raw.now);
    if (raw.own) cause.object = SplitMetaNamespaceKey(request.key).value_or(ObjectName());
    if (raw.type == CauseType::kRetry) {
      cause.attempt = request.attempts;
      if (request.last_error != nullptr) cause.error = request.last_error->ToString();
    }
    if (!raw.more || !raw.more->now) continue;
    const Block& now = *raw.more->now;
    cause.object = {std::string(now.namespace_()), std::string(now.name())};
    if (raw.type != CauseType::kUpdated && raw.type != CauseType::kAdded) continue;
    ObjectChange change = ChangeOf(raw.more->before, raw.more->now);
    cause.fields = std::move(change.fields);
    cause.manager = std::move(change.manager);
  }
  return causes;
}

std::string internal::KindName(const KindInfo& kind) {
  std::string name(kind.kind);
  if (!kind.group.empty()) name.append(".").append(kind.group);
  return name;
}

}  // namespace kinformer
