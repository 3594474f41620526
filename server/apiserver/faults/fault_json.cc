#include "apiserver/faults/fault_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "apiserver/errors/status.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

struct ActionName {
  FaultAction action;
  std::string_view name;
};
constexpr std::array kActions = std::to_array<ActionName>({
    {FaultAction::kRespond, "respond"},
    {FaultAction::kRefuse, "refuse"},
    {FaultAction::kDelay, "delay"},
    {FaultAction::kCutBody, "cutBody"},
    {FaultAction::kEndBody, "endBody"},
    {FaultAction::kStall, "stall"},
    {FaultAction::kGarbage, "garbage"},
    {FaultAction::kDrip, "drip"},
    {FaultAction::kGoAway, "goAway"},
    {FaultAction::kBreakConnection, "breakConnection"},
    {FaultAction::kStallConnection, "stallConnection"},
    {FaultAction::kStreamLimit, "streamLimit"},
    {FaultAction::kEndWatch, "endWatch"},
    {FaultAction::kWatchError, "watchError"},
    {FaultAction::kErrorObject, "errorObject"},
    {FaultAction::kDuplicateEvents, "duplicateEvents"},
    {FaultAction::kReplayEvents, "replayEvents"},
    {FaultAction::kLoseDeletes, "loseDeletes"},
    {FaultAction::kForeignNamespace, "foreignNamespace"},
    {FaultAction::kWrongKind, "wrongKind"},
    {FaultAction::kNoBookmarks, "noBookmarks"},
    {FaultAction::kNoInitialEnd, "noInitialEnd"},
    {FaultAction::kBookmarksOnly, "bookmarksOnly"},
    {FaultAction::kOldBookmarks, "oldBookmarks"},
    {FaultAction::kOldResourceVersion, "oldResourceVersion"},
    {FaultAction::kStaleRead, "staleRead"},
    {FaultAction::kStaleCache, "staleCache"},
    {FaultAction::kSkewClock, "skewClock"},
});

// ---- Parsers of fields, by type. They return false for invalid values.

bool Read(const json::Value& value, std::string& out) {
  const auto text = value.AsString();
  if (text) out = *text;
  return text.has_value();
}
bool Read(const json::Value& value, bool& out) {
  const auto flag = value.AsBool();
  if (flag) out = *flag;
  return flag.has_value();
}
bool Read(const json::Value& value, double& out) {
  const auto number = value.AsDouble();
  if (!number || *number < 0 || *number > 1) return false;
  out = *number;
  return true;
}
template <class I>
  requires(std::is_integral_v<I> && !std::is_same_v<I, bool>)
bool Read(const json::Value& value, I& out) {
  const auto number = value.AsInt64();
  if (!number || *number < 0 || !std::in_range<I>(*number)) return false;
  out = static_cast<I>(*number);
  return true;
}
bool Read(const json::Value& value, Duration& out) {
  const auto text = value.AsString();
  const auto nanos = text ? internal::ParseGoDuration(*text) : std::nullopt;
  if (nanos) out = Duration(*nanos);
  return nanos.has_value();
}
bool Read(const json::Value& value, std::chrono::seconds& out) {
  std::int32_t seconds = 0;
  if (!Read(value, seconds)) return false;
  out = std::chrono::seconds(seconds);
  return true;
}
template <class T>
bool Read(const json::Value& value, std::optional<T>& out) {
  return Read(value, out.emplace());
}
bool Read(const json::Value& value, FaultAction& out) {
  const auto text = value.AsString();
  const auto* const found = std::find_if(kActions.begin(), kActions.end(), [&](const auto& entry) {
    return text && entry.name == *text;
  });
  if (found == kActions.end()) return false;
  out = found->action;
  return true;
}

json::Value Write(const std::string& text) { return text; }
json::Value Write(bool flag) { return flag; }
json::Value Write(double number) { return number; }
template <class I>
  requires(std::is_integral_v<I> && !std::is_same_v<I, bool>)
json::Value Write(I number) {
  return number;
}
json::Value Write(Duration duration) {
  std::string text;
  internal::AppendGoDuration(duration.count(), text);
  return text;
}
json::Value Write(std::chrono::seconds seconds) {
  return static_cast<std::int64_t>(seconds.count());
}
template <class T>
json::Value Write(const std::optional<T>& value) {
  return value ? Write(*value) : json::Value();
}
json::Value Write(FaultAction action) {
  for (const ActionName& entry : kActions) {
    if (entry.action == action) return entry.name;
  }
  return {};
}

constexpr std::string_view kText = "a string";
constexpr std::string_view kFlag = "true or false";
constexpr std::string_view kCount = "an integer that is not negative";
constexpr std::string_view kDuration = "a duration such as \"250ms\" or \"1m30s\"";

struct Field {
  std::string_view name;
  std::string_view allowed;
  bool (*read)(const json::Value& value, FaultRule& rule);
  json::Value (*write)(const FaultRule& rule);
};
template <auto Member>
constexpr Field Of(std::string_view name, std::string_view allowed) {
  return {
      .name = name,
      .allowed = allowed,
      .read = [](const json::Value& value, FaultRule& rule) { return Read(value, rule.*Member); },
      .write = [](const FaultRule& rule) { return Write(rule.*Member); }};
}
constexpr std::array kFields = {
    Of<&FaultRule::verb>("verb", kText),
    Of<&FaultRule::resource>("resource", kText),
    Of<&FaultRule::namespace_>("namespace", kText),
    Of<&FaultRule::user_agent>("userAgent", kText),
    Of<&FaultRule::only_continue>("onlyContinue", kFlag),
    Of<&FaultRule::only_initial_events>("onlyInitialEvents", kFlag),
    Of<&FaultRule::action>("action", ""),
    Of<&FaultRule::probability>("probability", "a number from 0 to 1"),
    Of<&FaultRule::count>("count", kCount),
    Of<&FaultRule::skip>("skip", kCount),
    Of<&FaultRule::lasts>("lasts", kDuration),
    Of<&FaultRule::status>("status", "an HTTP status from 200 to 599"),
    Of<&FaultRule::text>("text", kText),
    Of<&FaultRule::content_type>("contentType", kText),
    Of<&FaultRule::retry_after>("retryAfter", "a number of seconds"),
    Of<&FaultRule::delay>("delay", kDuration),
    Of<&FaultRule::after>("after", kDuration),
    Of<&FaultRule::skew>("skew", kDuration),
    Of<&FaultRule::after_bytes>("afterBytes", kCount),
    Of<&FaultRule::after_events>("afterEvents", kCount),
    Of<&FaultRule::chunk_bytes>("chunkBytes", kCount),
    Of<&FaultRule::max_streams>("maxStreams", kCount),
    Of<&FaultRule::repeat>("repeat", kCount),
    Of<&FaultRule::versions>("versions", kCount),
};

// Returns the names in a table, as "a, b, c".
template <class Table>
std::string Names(const Table& table) {
  std::string out;
  for (const auto& entry : table) {
    if (!out.empty()) out += ", ";
    out += entry.name;
  }
  return out;
}

Error BadField(std::string_view name, std::string_view allowed) {
  return BadRequestError("fault rule: field \"" + std::string(name) + "\" must be " +
                         std::string(allowed));
}

}  // namespace

Result<FaultRule> FaultRuleFromJson(const json::Value& value) {
  if (!value.is_object()) {
    return BadRequestError("fault rule: must be a JSON object, such as {\"action\": \"refuse\"}");
  }
  FaultRule rule;
  for (const auto& [name, member] : value.members()) {
    const auto* const field =
        std::find_if(kFields.begin(), kFields.end(),
                     [&known = name](const Field& entry) { return entry.name == known; });
    if (field == kFields.end()) {
      return BadRequestError("fault rule: unknown field \"" + name +
                             "\"; the fields are: " + Names(kFields));
    }
    if (field->read(member, rule)) continue;
    return BadField(
        name, field->allowed.empty() ? "one of: " + Names(kActions) : std::string(field->allowed));
  }
  if (!value.contains("action")) return BadField("action", "one of: " + Names(kActions));
  if (rule.status < 200 || rule.status > 599) {
    return BadField("status", "an HTTP status from 200 to 599");
  }
  if (rule.action == FaultAction::kErrorObject && !json::Parse(rule.text)) {
    return BadField("text", "JSON, with the action errorObject");
  }
  return rule;
}

json::Value FaultRuleToJson(const FaultRule& rule) {
  const FaultRule defaults;
  json::Value out = json::Value::MakeObject();
  for (const Field& field : kFields) {
    json::Value value = field.write(rule);
    if (field.name != "action" && value == field.write(defaults)) continue;
    out.EnsureObject().Set(field.name, std::move(value));
  }
  return out;
}

}  // namespace kinformer::apiserver
