#include "apiserver/workloads/script_reader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kinformer/object/quantity.h"
#include "kinformer/object/time.h"

#include "apiserver/workloads/field_line.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr const char* kTimes = "a time from 0s to 876000h, such as 500ms, 30s or 1h30m";
constexpr auto kLongest = std::chrono::hours(876'000);

std::optional<Duration> TimeOf(std::string_view text) {
  const auto parsed = metav1::Duration::Parse(text);
  if (!parsed || parsed->value() < std::chrono::nanoseconds::zero() || parsed->value() > kLongest) {
    return std::nullopt;
  }
  return std::chrono::duration_cast<Duration>(parsed->value());
}

// Returns a text or number as text.
std::string TextOf(const json::Value& value) {
  return value.is_number() ? value.NumberText() : value.StringOrEmpty();
}

}  // namespace

void ScriptText::Fail(const std::string& path, const std::string& what) {
  if (mistake) return;
  mistake = Error(Reason::kConfig, std::string(file) + ":" + std::to_string(FieldLine(yaml, path)) +
                                       ": " + (path.empty() ? "the script" : path) + " " + what);
}

ScriptReader::ScriptReader(ScriptText& text, const json::Value& map, std::string path,
                           std::initializer_list<std::string_view> known)
    : text_(text), map_(map), path_(std::move(path)) {
  std::string names;
  for (const std::string_view name : known) {
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (!map.is_object() && !map.is_null()) {
    text_.Fail(path_, "is no map; it may have the fields " + names);
  }
  for (const auto& [name, value] : map.members()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      text_.Fail(PathOf(name),
                 "is no field of a workload script; here these are possible: " + names);
    }
  }
}

std::string ScriptReader::PathOf(std::string_view name) const {
  return path_ + (path_.empty() ? "" : ".") + std::string(name);
}

const json::Value* ScriptReader::Member(std::string_view name) const {
  const json::Value* value = map_.Find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void ScriptReader::Fail(std::string_view name, const std::string& what) {
  text_.Fail(PathOf(name), what);
}

void ScriptReader::Text(std::string_view name, std::string& out) {
  const json::Value* value = Member(name);
  if (value == nullptr) return;
  if (!value->is_string() || value->StringOrEmpty().empty()) {
    return Fail(name, "must be a text, in quotes if it looks like a number or a boolean");
  }
  out = value->StringOrEmpty();
}

void ScriptReader::Flag(std::string_view name, bool& out) {
  const json::Value* value = Member(name);
  if (value == nullptr) return;
  if (!value->is_bool()) return Fail(name, "must be true or false");
  out = value->AsBool().value_or(false);
}

void ScriptReader::Number(std::string_view name, std::int64_t least, std::int64_t most,
                          std::int64_t& out) {
  const json::Value* value = Member(name);
  if (value == nullptr) return;
  const auto number = value->AsInt64();
  if (!number || *number < least || *number > most) {
    return Fail(name, "must be a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most));
  }
  out = *number;
}

void ScriptReader::Number(std::string_view name, std::int64_t least, std::int64_t most, int& out) {
  std::int64_t number = out;
  Number(name, least, most, number);
  out = static_cast<int>(number);
}

void ScriptReader::Probability(std::string_view name, double& out) {
  const json::Value* value = Member(name);
  if (value == nullptr) return;
  const auto number = value->AsDouble();
  if (!number || !(*number >= 0) || !(*number <= 1)) {
    return Fail(name, "must be a number from 0 (never) to 1 (always)");
  }
  out = *number;
}

void ScriptReader::Time(std::string_view name, Duration& out) {
  std::optional<Duration> time;
  Time(name, time);
  if (time) out = *time;
}

void ScriptReader::Time(std::string_view name, std::optional<Duration>& out) {
  const json::Value* value = Member(name);
  if (value == nullptr) return;
  const auto time = TimeOf(value->StringOrEmpty());
  if (!time) return Fail(name, std::string("must be ") + kTimes);
  out = time;
}

void ScriptReader::Range(std::string_view name, DelayRange& out) {
  const json::Value* value = Member(name);
  if (value == nullptr) return;
  const std::string& text = value->StringOrEmpty();
  const std::size_t dash = text.find('-');
  const auto least = TimeOf(std::string_view(text).substr(0, dash));
  const auto most =
      dash == std::string::npos ? least : TimeOf(std::string_view(text).substr(dash + 1));
  if (!least || !most || *least > *most) {
    return Fail(name, std::string("must be ") + kTimes + ", or a range of them, such as 1s-2s");
  }
  out = {.least = *least, .most = *most};
}

void ScriptReader::Selector(std::string_view name, LabelSelector& out) {
  const json::Value* value = Member(name);
  if (value == nullptr) return;
  auto selector = LabelSelector::Parse(value->StringOrEmpty());
  if (!value->is_string() || !selector) {
    return Fail(name, "must be a label selector, such as \"app=web,tier!=test\"");
  }
  out = *std::move(selector);
}

void ScriptReader::Map(std::string_view name, bool quantities,
                       std::map<std::string, std::string>& out) {
  const json::Value* value = Member(name);
  if (value == nullptr) return;
  if (!value->is_object()) return Fail(name, "must be a map, such as {cpu: \"4\"}");
  for (const auto& [key, item] : value->members()) {
    const std::string text = TextOf(item);
    if (quantities) {
      const auto quantity = resource::Quantity::Parse(text);
      if (!quantity || quantity->Sign() < 0) {
        return Fail(std::string(name) + "." + key,
                    "must be a quantity of at least 0, such as \"500m\" or 2Gi");
      }
    }
    out[key] = text;
  }
}

void ScriptReader::List(std::string_view name, const Read& read) {
  const json::Value* value = Member(name);
  if (value == nullptr) return;
  if (!value->is_array()) return Fail(name, "must be a list: its items begin with \"- \"");
  for (std::size_t i = 0; i < value->size(); ++i) {
    read((*value)[i], PathOf(name) + "[" + std::to_string(i) + "]");
  }
}

void ScriptReader::Inner(std::string_view name, const Read& read) {
  const json::Value* value = Member(name);
  if (value != nullptr) read(*value, PathOf(name));
}

}  // namespace kinformer::apiserver::workloads
