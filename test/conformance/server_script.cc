#include "conformance/server_script.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string_view>

#include "conformance/script_protobuf.h"

namespace kinformer::testing {
namespace {

std::string Trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first);
}

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

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
    for (std::size_t i = 0; i < lines.size();) {
      const std::string& text = lines[i++].second;
      std::vector<std::string> headers;
      for (; i < lines.size() && lines[i].second.starts_with("> "); ++i) {
        headers.push_back(Substitute(lines[i].second.substr(2)));
      }
      Expectations expectations;
      for (; i < lines.size() && lines[i].second.starts_with("  "); ++i) {
        expectations.emplace_back(lines[i].first, Trimmed(lines[i].second));
      }
      Step(text, headers, expectations);
      for (const auto& [number, expectation] : expectations) Expect(number, expectation);
    }
  }

 private:
  // With their line numbers in the file.
  using Expectations = std::vector<std::pair<int, std::string>>;

  // Returns the expansion of $FILL(n) or $FILL(n,text): the text n times. `open` is the position of
  // the parenthesis; sets `end` to the end of the expression.
  static std::string Filled(const std::string& text, std::size_t open, std::size_t& end) {
    end = text.find(')', open);
    const std::string inside = text.substr(open + 1, end - open - 1);
    const std::size_t comma = inside.find(',');
    const std::string piece = comma == std::string::npos ? "x" : inside.substr(comma + 1);
    std::string out;
    for (std::size_t left = std::stoul(inside); left > 0; --left) out += piece;
    return out;
  }

  // Matches whole names, so $NS2 is not $NS followed by a 2.
  [[nodiscard]] std::string Substitute(std::string text) const {
    for (int depth = 0; depth < 4; ++depth) {
      std::string out;
      for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t dollar = std::min(text.find('$', i), text.size());
        out.append(text, i, dollar - i);
        i = dollar;
        if (i == text.size()) break;
        std::size_t end = i + 1;
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
        const std::string name = text.substr(i + 1, end - i - 1);
        const auto found = variables_.find(name);
        if (name == "FILL" && end < text.size() && text[end] == '(') {
          out += Filled(text, end, i);
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
    bool typed = false;
    for (const std::string& header : headers) {
      const std::size_t colon = header.find(": ");
      request.headers.Add(header.substr(0, colon), Substitute(header.substr(colon + 2)));
      typed = typed || header.starts_with("Content-Type");
    }
    std::string_view type = request.method == "PATCH" ? "" : "application/json";
    if (text.starts_with("proto:") || text.starts_with("proto+")) {
      const std::size_t colon = text.find(':');
      const std::size_t plus = text[5] == '+' ? 6 : colon;
      text = ObjectToProtobuf(text.substr(colon + 1),
                              FromHex(std::string_view(text).substr(plus, colon - plus)));
      type = kProtobuf;
    } else if (text.starts_with("hex:")) {
      text = FromHex(std::string_view(text).substr(4));
      type = kProtobuf;
    }
    request.body = std::move(text);
    if (!typed && !request.body.empty() && !type.empty()) request.headers.Add("Content-Type", type);
    const bool watches =
        request.target.find("watch") != std::string::npos && request.method == "GET";
    request.pool = watches ? ConnectionPool::kWatch : ConnectionPool::kShort;
    return request;
  }

  [[nodiscard]] ScriptAnswer Ask(const std::string& text, const std::vector<std::string>& headers) {
    return ScriptAnswer(peer_.Finish(peer_.Start(RequestOf(Substitute(text), headers))));
  }

  void Step(const std::string& line, const std::vector<std::string>& headers,
            const Expectations& expectations) {
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
      // A read must arrive before the next request; writes may overlap.
      if (text.starts_with("GET")) peer_.Sleep(std::chrono::milliseconds(300));
    } else if (word == "SLOW") {
      const std::string name = TakeWord(text);
      open_[name] = peer_.StartSlow(RequestOf(Substitute(text), headers));
      peer_.Sleep(std::chrono::milliseconds(300));
    } else if (word == "CLOSE") {
      request_ = line;
      answer_ = ScriptAnswer(peer_.Finish(open_.at(text)));
    } else if (word == "REPEAT") {
      Repeat(std::stoi(TakeWord(text)), text, headers);
    } else if (word == "AWAIT") {
      Await(text, headers, expectations);
    } else {
      answer_ = Ask(line, headers);
    }
  }

  void Repeat(int times, const std::string& text, const std::vector<std::string>& headers) {
    for (int i = 1; i <= times; ++i) {
      variables_["I"] = std::to_string(i);
      answer_ = Ask(text, headers);
      if (answer_.status() >= 300) {
        ADD_FAILURE() << "the " << i << "th of " << request_ << "\n  answer " << answer_.Describe();
        return;
      }
    }
  }

  // Waits until all expectations are true, or for half a minute; then checks as usual.
  void Await(const std::string& text, const std::vector<std::string>& headers,
             const Expectations& expectations) {
    constexpr int kTries = 150;
    for (int i = 0; i < kTries; ++i) {
      answer_ = Ask(text, headers);
      if (std::all_of(expectations.begin(), expectations.end(), [this](const auto& expectation) {
            const auto mine = ForThisServer(expectation.second);
            return !mine || mine->starts_with("$") || answer_.Holds(Substitute(*mine));
          })) {
        return;
      }
      peer_.Sleep(std::chrono::milliseconds(200));
    }
  }

  // Returns empty if the expectation is for another kind of server.
  [[nodiscard]] std::optional<std::string> ForThisServer(const std::string& text) const {
    for (const std::string word : {"ours", "real"}) {
      if (!text.starts_with(word + ": ")) continue;
      if (word != peer_.word()) return std::nullopt;
      return text.substr(word.size() + 2);
    }
    return text;
  }

  void Expect(int number, const std::string& line) {
    const std::optional<std::string> text = ForThisServer(line);
    if (!text) return;
    if (text->starts_with("$") && text->find(" := ") != std::string::npos) {
      Keep(number, *text);
      return;
    }
    const std::string expected = Substitute(*text);
    if (!answer_.Holds(expected)) Fail(number, expected);
  }

  void Fail(int number, const std::string& what) const {
    ADD_FAILURE() << "line " << number << ": " << what.substr(0, 500) << "\n  after " << request_
                  << "\n  answer " << answer_.Describe();
  }

  // Handles "$name := source".
  void Keep(int number, const std::string& text) {
    std::string rest = text.substr(1);
    const std::string name = TakeWord(rest);
    TakeWord(rest);
    const std::optional<std::string> value = answer_.Value(rest);
    if (value) {
      variables_[name] = *value;
    } else {
      Fail(number, "nothing at " + rest);
    }
  }

  ScriptPeer& peer_;
  std::map<std::string, std::string> variables_;
  std::map<std::string, int> open_;
  std::string request_;
  ScriptAnswer answer_;
};

// Returns the marks in brackets before the title: "ours", "http".
std::string Marks(const std::string& title) {
  const std::string head = title.substr(0, title.find(':'));
  const std::size_t open = head.find('[');
  return open == std::string::npos ? std::string() : head.substr(open);
}

}  // namespace

bool ScriptCase::IsFor(std::string_view word, bool http) const {
  if (NeedsHttp() && !http) return false;
  const std::string marks = Marks(title);
  return (marks.find("ours") == std::string::npos && marks.find("real") == std::string::npos) ||
         marks.find(word) != std::string::npos;
}

bool ScriptCase::ByRoles() const {
  return ForNodes() || Marks(title).find("rbac") != std::string::npos;
}
bool ScriptCase::ForNodes() const { return Marks(title).find("node") != std::string::npos; }
bool ScriptCase::HasDetails() const { return Marks(title).find("details") != std::string::npos; }

bool ScriptCase::NeedsHttp() const { return Marks(title).find("http") != std::string::npos; }

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
