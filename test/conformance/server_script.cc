#include "conformance/server_script.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <sstream>

#include "kinformer/json.h"

namespace kinformer::testing {
namespace {

// Splits off the first word.
std::string TakeWord(std::string& text) {
  const std::size_t space = text.find(' ');
  std::string word = text.substr(0, space);
  text = space == std::string::npos ? std::string() : text.substr(space + 1);
  return word;
}

std::string Trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first);
}

// An event as the script writes it: "ADDED a", "ERROR Expired", "BOOKMARK".
std::string EventText(const json::Value& frame) {
  std::string text = frame["type"].StringOrEmpty();
  const json::Value& object = frame["object"];
  const std::string& detail = text == "ERROR" ? object["reason"].StringOrEmpty()
                                              : object.At("/metadata/name").StringOrEmpty();
  return detail.empty() ? text : text + " " + detail;
}

// As a variable holds it: a text without its quotes.
std::string VariableText(const json::Value& value) {
  return value.is_string() ? value.StringOrEmpty() : value.Dump();
}

class Runner {
 public:
  Runner(const Script& script, ScriptPeer& peer, const std::string& prefix) : peer_(peer) {
    for (const auto& [name, text] : script.definitions) variables_[name] = text;
    variables_["NS"] = prefix;
    variables_["NS2"] = prefix + "-b";
    for (const char* name : {"NS", "NS2"}) {
      HttpRequest request{.method = "POST",
                          .target = "/api/v1/namespaces",
                          .body = R"({"metadata":{"name":")" + variables_[name] + "\"}}"};
      request.headers.Add("Content-Type", "application/json");
      EXPECT_EQ(peer_.Finish(peer_.Start(std::move(request))).status, 201);
    }
  }

  void Run(const ScriptCase& script_case) {
    const auto& lines = script_case.lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto& [number, text] = lines[i];
      if (text.starts_with("  ")) {
        Expect(number, Trimmed(text));
        continue;
      }
      std::vector<std::string> headers;
      while (i + 1 < lines.size() && lines[i + 1].second.starts_with("> ")) {
        headers.push_back(Substitute(lines[++i].second.substr(2)));
      }
      Step(text, headers);
    }
  }

 private:
  // Names are matched to their end, so $NS2 is not $NS and a 2.
  [[nodiscard]] std::string Substitute(std::string text) const {
    for (int depth = 0; depth < 4; ++depth) {
      std::string out;
      for (std::size_t i = 0; i < text.size(); ++i) {
        std::size_t end = i + 1;
        while (text[i] == '$' && end < text.size() &&
               std::isalnum(static_cast<unsigned char>(text[end])) != 0) {
          ++end;
        }
        const std::string name = text.substr(i + 1, end - i - 1);
        const auto found = variables_.find(name);
        if (name == "FILL" && end < text.size() && text[end] == '(') {
          const std::size_t close = text.find(')', end);
          out.append(std::stoul(text.substr(end + 1, close - end - 1)), 'x');
          i = close;
        } else if (name.empty() || found == variables_.end()) {
          out += text[i];
        } else {
          out += found->second;
          i = end - 1;
        }
      }
      if (out == text) break;
      text = std::move(out);
    }
    return text;
  }

  HttpRequest RequestOf(std::string text, const std::vector<std::string>& headers) {
    request_ = text.substr(0, 200);
    HttpRequest request;
    request.method = TakeWord(text);
    request.target = TakeWord(text);
    request.body = std::move(text);
    bool typed = false;
    for (const std::string& header : headers) {
      const std::size_t colon = header.find(": ");
      request.headers.Add(header.substr(0, colon), header.substr(colon + 2));
      typed = typed || header.starts_with("Content-Type");
    }
    if (!typed && !request.body.empty() && request.method != "PATCH") {
      request.headers.Add("Content-Type", "application/json");
    }
    const bool watches =
        request.target.find("watch") != std::string::npos && request.method == "GET";
    request.pool = watches ? ConnectionPool::kWatch : ConnectionPool::kShort;
    return request;
  }

  void Take(ScriptReply reply) {
    reply_ = std::move(reply);
    json_ = json::Parse(reply_.body).value_or(json::Value());
    frames_.clear();
    std::istringstream lines(reply_.body);
    for (std::string line; std::getline(lines, line);) {
      frames_.push_back(json::Parse(line).value_or(json::Value()));
    }
  }

  void Step(const std::string& line, const std::vector<std::string>& headers) {
    std::string text = line;
    const std::string word = TakeWord(text);
    if (word == "INCREASE") {
      std::string& value = variables_[text.substr(1)];
      value = std::to_string(std::stoll(value) + 1);
    } else if (word == "SLEEP") {
      peer_.Sleep(std::chrono::milliseconds(std::stoi(text) * 1000));
    } else if (word == "COMPACT") {
      peer_.Compact();
    } else if (word == "OPEN") {
      const std::string name = TakeWord(text);
      open_[name] = peer_.Start(RequestOf(Substitute(text), headers));
    } else if (word == "CLOSE") {
      request_ = line;
      Take(peer_.Finish(open_.at(text)));
    } else {
      Take(peer_.Finish(peer_.Start(RequestOf(Substitute(line), headers))));
    }
  }

  void Expect(int number, std::string text) {
    for (const char* word : {"ours: ", "real: "}) {
      if (!text.starts_with(word)) continue;
      if (!std::string_view(word).starts_with(peer_.word())) return;
      text = text.substr(6);
    }
    if (text.starts_with("$")) {
      Keep(number, text);
      return;
    }
    const std::string expected = Substitute(text);
    if (!Holds(expected)) {
      ADD_FAILURE() << "line " << number << ": " << expected << "\n  after " << request_
                    << "\n  answer " << reply_.status << " " << reply_.body.substr(0, 1500);
    }
  }

  // "$name := [frame N] /pointer"
  void Keep(int number, const std::string& text) {
    std::string rest = text.substr(1);
    const std::string name = TakeWord(rest);
    TakeWord(rest);
    const json::Value* source = Source(rest);
    const json::Value* value = source == nullptr ? nullptr : source->FindPointer(rest);
    if (value == nullptr) {
      ADD_FAILURE() << "line " << number << ": nothing at " << rest << "\n  after " << request_
                    << "\n  answer " << reply_.status << " " << reply_.body.substr(0, 1500);
      return;
    }
    variables_[name] = VariableText(*value);
  }

  // The answer, or the frame of it that the text begins with, which is taken off.
  const json::Value* Source(std::string& text) const {
    if (!text.starts_with("frame ")) return &json_;
    TakeWord(text);
    const std::size_t index = std::stoul(TakeWord(text));
    return index < frames_.size() ? &frames_[index] : nullptr;
  }

  [[nodiscard]] bool Holds(std::string text) const {
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
    if (word == "events") return reply_.status == 200 && Events() == text;
    if (word == "begins") return reply_.status == 200 && Events().starts_with(text);
    const std::string a = TakeWord(text);
    if (word == "same") return a == text;
    if (word == "differ") return a != text;
    if (word == "less") return std::stoll(a) < std::stoll(text);
    if (word == "notless") return std::stoll(a) >= std::stoll(text);
    return false;
  }

  // In the body, or in the message of a Status without its escapes; \n stands for a line's end.
  [[nodiscard]] bool Contains(const std::string& text) const {
    std::string wanted;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool line_end = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n';
      wanted += line_end ? '\n' : text[i];
      if (line_end) ++i;
    }
    return reply_.body.find(wanted) != std::string::npos ||
           json_["message"].StringOrEmpty().find(wanted) != std::string::npos;
  }

  [[nodiscard]] bool HeaderHolds(std::string text) const {
    const std::string name = TakeWord(text);
    const std::string operation = TakeWord(text);
    if (operation == "absent") return !reply_.headers.Has(name);
    const std::string_view value = reply_.headers.Get(name);
    return operation == "=" ? value == text : value.find(text) != std::string_view::npos;
  }

  [[nodiscard]] std::string Items() const {
    std::string out;
    for (const json::Value& item : json_["items"].items()) {
      out += (out.empty() ? "" : " ") + item.At("/metadata/name").StringOrEmpty();
    }
    return out;
  }

  [[nodiscard]] std::string Events() const {
    std::string out;
    for (const json::Value& frame : frames_) {
      out += (out.empty() ? "" : ", ") + EventText(frame);
    }
    return out;
  }

  [[nodiscard]] bool PointerHolds(std::string text) const {
    const json::Value* source = Source(text);
    if (source == nullptr) return false;
    const json::Value* value = source->FindPointer(TakeWord(text));
    const std::string operation = TakeWord(text);
    if (operation == "absent") return value == nullptr || value->is_null();
    if (value == nullptr) return false;
    if (operation == "present") return !value->is_null() && VariableText(*value) != "";
    if (operation == "=") return *value == json::Parse(text).value_or("no JSON in the script");
    if (operation == "size") return value->size() == std::stoul(text);
    if (operation == "length") return value->StringOrEmpty().size() == std::stoul(text);
    if (operation == "contains") return value->StringOrEmpty().find(text) != std::string::npos;
    if (operation == "starts") return value->StringOrEmpty().starts_with(text);
    return false;
  }

  ScriptPeer& peer_;
  std::map<std::string, std::string> variables_;
  std::map<std::string, int> open_;
  std::string request_;
  ScriptReply reply_;
  json::Value json_;
  std::vector<json::Value> frames_;
};

}  // namespace

bool ScriptCase::IsFor(std::string_view word) const {
  const std::size_t open = title.find('[');
  return open == std::string::npos || title.substr(open + 1, title.find(']') - open - 1) == word;
}

std::string ScriptCase::TestName() const {
  std::string name;
  for (const char c : title.substr(0, title.find_first_of("[:"))) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter || (!name.empty() && name.back() != '_')) name += letter ? c : '_';
  }
  if (name.back() != '_') name += '_';
  return name + std::to_string(line);
}

Script LoadScript(const std::string& path) {
  Script script;
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("let ")) {
      std::string text = line.substr(4);
      const std::string name = TakeWord(text);
      script.definitions.emplace_back(name, text);
    } else if (line.starts_with("=== ")) {
      script.cases.push_back({.title = line.substr(4), .line = number});
    } else if (!script.cases.empty()) {
      script.cases.back().lines.emplace_back(number, line);
    }
  }
  return script;
}

void RunScriptCase(const Script& script, const ScriptCase& script_case, ScriptPeer& peer,
                   const std::string& prefix) {
  SCOPED_TRACE(script_case.title);
  Runner(script, peer, prefix).Run(script_case);
}

}  // namespace kinformer::testing
