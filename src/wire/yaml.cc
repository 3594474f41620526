// Finds the limits of documents and the encoding of a text, and formats errors.

#include "kinformer/json/yaml.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "wire/json_text.h"
#include "wire/utf16.h"
#include "wire/yaml_builder.h"
#include "wire/yaml_cursor.h"
#include "wire/yaml_parser.h"
#include "wire/yaml_scalar.h"

namespace kinformer::yaml {
namespace {

using json::Value;
using wire::IsUtf16;
using wire::Utf8FromUtf16;

constexpr std::string_view kSpaces = " \t\r\n";

std::size_t LinesIn(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Finds a line of two hyphens, if the error is in that line or in the next, counted from `first`.
// To YAML two hyphens are an ordinary text, which becomes a key or a part of one.
std::optional<std::size_t> LineOfTwoHyphens(std::string_view text, std::size_t first,
                                            std::size_t stop) {
  std::size_t line = first;
  for (std::size_t at = 0; at < text.size() && line <= stop; ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view all = text.substr(at, end - at);
    const bool two = all.starts_with("--") && all.find_first_not_of(kSpaces, 2) == all.npos;
    if (two && line + 1 >= stop) return line;
    at = end + 1;
  }
  return std::nullopt;
}

// Returns the position of the first character that YAML forbids, or the size of the text.
std::size_t FirstControl(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = at(i);
    if (c >= 0x20 && c < 0x7f) continue;
    if (c == '\t' || c == '\n' || c == '\r') continue;
    const bool is_c1 = c == 0xc2 && at(i + 1) < 0xa0 && at(i + 1) != 0x85;
    const bool is_none = c == 0xef && at(i + 1) == 0xbf && at(i + 2) >= 0xbe;
    if (c < 0x80 || is_c1 || is_none) return i;
  }
  return text.size();
}

// Reads one text. Appends its documents to `documents` and repeated keys to `repeated`.
class Reader {
 public:
  Reader(std::string_view file, std::vector<std::string>* repeated)
      : file_(file), repeated_(repeated) {}

  std::vector<Document>& documents() { return documents_; }

  // Reads all documents, each in JSON or YAML, separated like kubectl does.
  Result<void> ReadStream(std::string_view text) {
    if (IsUtf16(text)) {
      const std::optional<std::string> utf8 = Utf8FromUtf16(text);
      return utf8 ? ReadStream(*utf8) : HalfACharacter();
    }
    if (Result<void> checked = Check(text); !checked) return checked;
    std::size_t line = 0;
    const std::string_view rest = ReadJsonStream(text, line);
    if (rest.empty() || rest.back() == '\n') return ReadChunks(rest, line);
    return ReadChunks(std::string(rest) + '\n', line);
  }

  // Reads one text, like the decoders of bodies and configurations.
  Result<void> ReadText(std::string_view text) {
    if (IsUtf16(text)) {
      const std::optional<std::string> utf8 = Utf8FromUtf16(text);
      return utf8 ? ReadText(*utf8) : HalfACharacter();
    }
    const std::size_t first = text.find_first_not_of(kSpaces);
    if (first == std::string_view::npos) return {};
    // JSON is valid YAML, and much faster to read as JSON. Text that is not JSON (flow style,
    // comments, several documents), or that YAML would read differently, is read as YAML.
    if ((text[first] == '{' || text[first] == '[') && ReadJson(text, 1)) return {};
    if (Result<void> checked = Check(text); !checked) return checked;
    return ReadYaml(text, 0);
  }

 private:
  [[nodiscard]] Error Fail(const Mark& mark, const std::string& why) const {
    const std::string line = std::to_string(mark.line + 1);
    const std::string column = std::to_string(mark.column + 1);
    const std::string place = file_.empty() ? "YAML, line " + line + ", column " + column
                                            : file_ + ":" + line + ":" + column;
    return Error(Reason::kDecode, place + ": " + why);
  }

  [[nodiscard]] Error HalfACharacter() const {
    return Error(Reason::kDecode, (file_.empty() ? "YAML" : file_) +
                                      ": the text begins as UTF-16, and is none; save it as UTF-8");
  }

  [[nodiscard]] Result<void> Check(std::string_view text) const {
    const std::size_t bad = json::FirstInvalidUtf8(text);
    const std::size_t control = FirstControl(text.substr(0, bad));
    const std::size_t first = std::min(bad, control);
    if (first == text.size()) return {};
    const std::string line = std::to_string(1 + LinesIn(text.substr(0, first)));
    return Error(
        Reason::kDecode,
        (file_.empty() ? "YAML, line " : file_ + ":") + line + ": " +
            (bad == first ? "the text is not UTF-8"
                          : "a control character; in double quotes write it as an escape"));
  }

  bool ReadJson(std::string_view text, std::size_t line) {
    Result<Value> value = json::Parse(text, {.reject_duplicate_keys = true});
    if (!value.ok() || !NumbersFit(*value)) return false;
    documents_.push_back({std::move(*value), line});
    return true;
  }

  // Reads consecutive JSON objects; returns the rest of the text, and its line.
  std::string_view ReadJsonStream(std::string_view text, std::size_t& line) {
    while (true) {
      const std::size_t first = text.find_first_not_of(kSpaces);
      if (first == std::string_view::npos || text[first] != '{') return text;
      const std::string_view object = text.substr(first, ObjectSize(text.substr(first)));
      if (!ReadJson(object, line + LinesIn(text.substr(0, first)) + 1)) return text;
      line += LinesIn(text.substr(0, first + object.size()));
      text.remove_prefix(first + object.size());
    }
  }

  // Returns the size up to the bracket that closes the first one.
  static std::size_t ObjectSize(std::string_view text) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (in_string) {
        if (c == '\\') ++i;
        in_string = c != '"';
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        return i + 1;
      }
    }
    return text.size();
  }

  // Splits the text at lines that begin with "---". REQUIRES: it ends with a line end.
  Result<void> ReadChunks(std::string_view text, std::size_t line) {
    std::size_t chunk = 0;
    std::size_t chunk_line = line;
    for (std::size_t at = 0; at < text.size(); ++line) {
      const std::size_t end = text.find('\n', at) + 1;
      if (text.substr(at).starts_with("---")) {
        const std::string_view behind = text.substr(at + 3, end - at - 3);
        const std::size_t first = behind.find_first_not_of(kSpaces);
        if (first != std::string_view::npos && behind[first] != '#') {
          return Fail({.line = line, .column = 3 + first},
                      "a line that begins with '---' ends a document, and holds nothing but a "
                      "comment; begin a new line behind it");
        }
        if (at > chunk) {
          if (Result<void> read = ReadYaml(text.substr(chunk, at - chunk), chunk_line); !read)
            return read;
          chunk = end;
          chunk_line = line + 1;
        }
      }
      at = end;
    }
    return ReadYaml(text.substr(chunk), chunk_line);
  }

  Result<void> ReadYaml(std::string_view text, std::size_t line) {
    try {
      Parser parser(text, line);
      while (true) {
        Builder builder(repeated_, copied_);
        const std::optional<Mark> mark = parser.ReadDocument(builder);
        if (!mark) return {};
        Value value = builder.Take();
        if (!value.is_null()) documents_.push_back({std::move(value), mark->line + 1});
      }
    } catch (const Stop& stop) {
      if (const auto hyphens = LineOfTwoHyphens(text, line, stop.mark.line)) {
        return Fail({.line = *hyphens}, "three hyphens, ---, separate documents; here are two");
      }
      return Fail(stop.mark, stop.why);
    }
  }

  const std::string file_;
  std::vector<std::string>* const repeated_;
  std::size_t copied_ = 0;  // bytes that aliases have copied
  std::vector<Document> documents_;
};

}  // namespace

Result<std::vector<Document>> ParseDocuments(std::string_view text, std::string_view file,
                                             std::vector<std::string>* repeated) {
  Reader reader(file, repeated);
  if (Result<void> read = reader.ReadStream(text); !read) return std::move(read).error();
  return std::move(reader.documents());
}

Result<std::vector<Value>> ParseAll(std::string_view text, std::string_view file,
                                    std::vector<std::string>* repeated) {
  Result<std::vector<Document>> documents = ParseDocuments(text, file, repeated);
  if (!documents) return std::move(documents).error();
  std::vector<Value> values;
  values.reserve(documents->size());
  for (Document& document : *documents) values.push_back(std::move(document.value));
  return values;
}

Result<Value> Parse(std::string_view text, std::string_view file,
                    std::vector<std::string>* repeated) {
  Reader reader(file, repeated);
  if (Result<void> read = reader.ReadText(text); !read) return std::move(read).error();
  std::vector<Document>& documents = reader.documents();
  if (documents.empty()) return Value();
  if (documents.size() > 1) {
    return Error(Reason::kDecode, (file.empty() ? "YAML" : std::string(file)) + ": " +
                                      std::to_string(documents.size()) +
                                      " documents where one is expected");
  }
  return std::move(documents.front().value);
}

}  // namespace kinformer::yaml
