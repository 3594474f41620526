#include "conformance/script_answer.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "conformance/script_protobuf.h"

namespace kinformer::testing {
namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// Returns the elements of an array, for a comparison in any order.
std::multiset<std::string> Elements(const json::Value& array) {
  std::multiset<std::string> out;
  for (const json::Value& item : array.items()) out.insert(item.Dump());
  return out;
}

// Returns an event in the form of the script: "ADDED a", "ERROR Expired", "BOOKMARK".
std::string EventText(const json::Value& frame) {
  std::string text = frame["type"].StringOrEmpty();
  const json::Value& object = frame["object"];
  const std::string& detail = text == "ERROR" ? object["reason"].StringOrEmpty()
                                              : object.At("/metadata/name").StringOrEmpty();
  return detail.empty() ? text : text + " " + detail;
}

// Returns a value as the text of a variable, without quotes.
std::string VariableText(const json::Value& value) {
  return value.is_string() ? value.StringOrEmpty() : value.Dump();
}

std::int64_t VersionOf(const json::Value& object) {
  const std::string& text = object.At("/metadata/resourceVersion").StringOrEmpty();
  return text.empty() ? 0 : std::stoll(text);
}

// Returns "409 200" as "200 409".
std::string Sorted(const std::string& text) {
  std::istringstream in(text);
  std::multiset<std::string> words;
  for (std::string word; in >> word;) words.insert(word);
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

}  // namespace

std::string TakeWord(std::string& text) {
  const std::size_t space = text.find(' ');
  std::string word = text.substr(0, space);
  text = space == std::string::npos ? std::string() : text.substr(space + 1);
  return word;
}

ScriptAnswer::ScriptAnswer(ScriptReply reply) : reply_(std::move(reply)) {
  const std::string_view type = reply_.headers.Get("Content-Type");
  if (type.starts_with(kProtobuf)) {
    if (type.find("stream=watch") != std::string_view::npos) {
      frames_ = FramesFromProtobuf(reply_.body);
    } else {
      json_ = ObjectFromProtobuf(reply_.body);
    }
    return;
  }
  json_ = json::Parse(reply_.body).value_or(json::Value());
  std::istringstream lines(reply_.body);
  for (std::string line; std::getline(lines, line);) {
    frames_.push_back(json::Parse(line).value_or(json::Value()));
  }
}

std::string ScriptAnswer::Describe() const {
  std::string text = std::to_string(reply_.status);
  if (const std::string_view type = reply_.headers.Get("Content-Type");
      type.starts_with(kProtobuf)) {
    text += " " + json_.Dump();
    for (const json::Value& frame : frames_) text += "\n" + frame.Dump();
  } else {
    text += " " + reply_.body;
  }
  constexpr std::size_t kEnough = 1500;
  if (text.size() > kEnough) text = text.substr(0, kEnough) + "...";
  return text;
}

// Returns the answer, or the frame named at the start of the text, whose name is removed.
const json::Value* ScriptAnswer::Source(std::string& text) const {
  if (!text.starts_with("frame ")) return &json_;
  TakeWord(text);
  const std::size_t index = std::stoul(TakeWord(text));
  return index < frames_.size() ? &frames_[index] : nullptr;
}

std::optional<std::string> ScriptAnswer::Value(std::string source) const {
  if (source == "status") return std::to_string(reply_.status);
  if (source == "events") return Events();
  if (source == "versions") return Versions();
  if (source.starts_with("header ")) {
    TakeWord(source);
    if (!reply_.headers.Has(source)) return std::nullopt;
    return std::string(reply_.headers.Get(source));
  }
  const json::Value* from = Source(source);
  const json::Value* value = from == nullptr ? nullptr : from->FindPointer(source);
  if (value == nullptr) return std::nullopt;
  return VariableText(*value);
}

bool ScriptAnswer::Holds(std::string text) const {
  if (std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
    const int status = std::stoi(TakeWord(text));
    return reply_.status == status && (text.empty() || json_["reason"].StringOrEmpty() == text);
  }
  if (text.starts_with('/') || text.starts_with("frame ")) return PointerHolds(text);
  const std::string word = TakeWord(text);
  if (word == "contains") return Contains(text);
  if (word == "lacks") return reply_.body.find(text) == std::string::npos;
  if (word == "header") return HeaderHolds(text);
  if (word == "items") return Items() == text;
  // 101: upgraded to a WebSocket.
  const bool good = reply_.status == 200 || reply_.status == 101;
  if (word == "events") return good && Events() == text;
  if (word == "begins") return reply_.status == 200 && Events().starts_with(text);
  if (word == "startof") return reply_.status == 200 && text.starts_with(Events());
  if (word == "watchlist") return reply_.status == 200 && IsWatchList();
  if (word == "versions") return reply_.status == 200 && Versions() == text;
  if (word == "sorted") {
    const std::size_t equals = text.find(" = ");
    return equals != std::string::npos && Sorted(text.substr(0, equals)) == text.substr(equals + 3);
  }
  const std::string a = TakeWord(text);
  if (word == "same") return a == text;
  if (word == "differ") return a != text;
  if (word == "less") return std::stoll(a) < std::stoll(text);
  if (word == "notless") return std::stoll(a) >= std::stoll(text);
  return false;
}

// Searches the body, or the unescaped message of a Status; \n stands for a line break.
bool ScriptAnswer::Contains(const std::string& text) const {
  std::string wanted;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool line_end = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n';
    wanted += line_end ? '\n' : text[i];
    if (line_end) ++i;
  }
  return reply_.body.find(wanted) != std::string::npos ||
         json_["message"].StringOrEmpty().find(wanted) != std::string::npos;
}

bool ScriptAnswer::HeaderHolds(std::string text) const {
  const std::string name = TakeWord(text);
  const std::string operation = TakeWord(text);
  if (operation == "absent") return !reply_.headers.Has(name);
  const std::string_view value = reply_.headers.Get(name);
  return operation == "=" ? value == text : value.find(text) != std::string_view::npos;
}

std::string ScriptAnswer::Items() const {
  std::string out;
  for (const json::Value& item : json_["items"].items()) {
    out += (out.empty() ? "" : " ") + item.At("/metadata/name").StringOrEmpty();
  }
  return out;
}

std::string ScriptAnswer::Events() const {
  std::string out;
  for (const json::Value& frame : frames_) {
    out += (out.empty() ? "" : ", ") + EventText(frame);
  }
  return out;
}

// Returns "a:7 b:9": the objects of a list, or those that exist after all events of a watch.
std::string ScriptAnswer::Versions() const {
  std::map<std::string, std::int64_t> versions;
  for (const json::Value& item : json_["items"].items()) {
    versions[item.At("/metadata/name").StringOrEmpty()] = VersionOf(item);
  }
  for (const json::Value& frame : frames_) {
    const std::string& type = frame["type"].StringOrEmpty();
    const std::string& name = frame.At("/object/metadata/name").StringOrEmpty();
    if (name.empty()) continue;
    if (type == "DELETED") {
      versions.erase(name);
    } else {
      versions[name] = VersionOf(frame["object"]);
    }
  }
  std::string out;
  for (const auto& [name, version] : versions) {
    out += (out.empty() ? "" : " ") + name + ":" + std::to_string(version);
  }
  return out;
}

// Whether these are initial events that contain each object once, with no version after the
// bookmark's; then the bookmark; then later events in order.
bool ScriptAnswer::IsWatchList() const {
  std::set<std::string> seen;
  std::int64_t newest = 0;
  std::int64_t last = -1;  // version of the bookmark or of a later event; -1 before the bookmark
  for (const json::Value& frame : frames_) {
    const json::Value& object = frame["object"];
    const std::int64_t version = VersionOf(object);
    if (last >= 0) {
      if (version <= last && frame["type"].StringOrEmpty() != "BOOKMARK") return false;
      last = std::max(last, version);
    } else if (frame["type"].StringOrEmpty() == "BOOKMARK") {
      const auto& end = object.At("/metadata/annotations")["k8s.io/initial-events-end"];
      if (end.StringOrEmpty() != "true" || version < newest) return false;
      last = version;
    } else {
      if (frame["type"].StringOrEmpty() != "ADDED") return false;
      if (!seen.insert(object.At("/metadata/name").StringOrEmpty()).second) return false;
      newest = std::max(newest, version);
    }
  }
  return last >= 0;
}

bool ScriptAnswer::PointerHolds(std::string text) const {
  const json::Value* source = Source(text);
  if (source == nullptr) return false;
  const json::Value* value = source->FindPointer(TakeWord(text));
  const std::string operation = TakeWord(text);
  if (operation == "absent") return value == nullptr || value->is_null();
  if (value == nullptr) return false;
  if (operation == "present") return !value->is_null() && VariableText(*value) != "";
  if (operation == "=") return *value == json::Parse(text).value_or("no JSON in the script");
  if (operation == "elements") return Elements(*value) == Elements(json::Parse(text).OrExit());
  if (operation == "size") return value->size() == std::stoul(text);
  if (operation == "length") return value->StringOrEmpty().size() == std::stoul(text);
  if (operation == "contains") return value->StringOrEmpty().find(text) != std::string::npos;
  if (operation == "starts") return value->StringOrEmpty().starts_with(text);
  if (operation == "text") return value->Dump() == text;
  return false;
}

}  // namespace kinformer::testing
