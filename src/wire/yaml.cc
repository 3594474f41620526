// The one place that knows yaml-cpp. Its parser's events, not its node tree, since the events carry
// the marks that a duplicate key is reported with.

#include "kinformer/yaml.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "wire/json_depth.h"
#include "wire/json_text.h"
#include "wire/yaml_scalar.h"

namespace kinformer::yaml {
namespace {

using json::Value;

constexpr std::size_t kMaxNodes = 4'000'000;
// Aliases multiply: a few lines can stand for gigabytes, be it of nodes or of texts. This bounds
// what all copies take that anchors, aliases and << make.
constexpr std::size_t kMaxCopiedBytes = std::size_t{32} << 20;
// A value in memory, apart from its text.
constexpr std::size_t kNodeBytes = sizeof(Value);

// Thrown by the handler through yaml-cpp's parser and caught below; never leaves this file.
struct Stop {
  YAML::Mark mark;
  std::string why;
};

Value Resolved(const std::string& text, const YAML::Mark& mark) {
  std::optional<Value> value = ResolvePlain(text);
  if (!value) throw Stop{mark, "\"" + text + "\" has no form in JSON; quote it if it is a string"};
  return *std::move(value);
}

class Builder : public YAML::EventHandler {
 public:
  // `repeated`: where keys that occur twice are noted; null: they are an error.
  explicit Builder(std::vector<std::string>* repeated) : repeated_(repeated) {}

  [[nodiscard]] bool has_content() const { return has_content_; }
  Value Take() { return std::move(root_); }

  // Where the document begins; -1: there is none.
  [[nodiscard]] const YAML::Mark& start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(mark, anchor, Value(), /*is_merge_key=*/false);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Stop{mark, "an alias inside what it stands for"};
    const Anchored& named = found->second;
    Count(mark, named.nodes);
    Copy(mark, named.bytes);
    if (!open_.empty()) Deepen(mark, open_.back(), named.depth);
    Add(mark, 0, named.value, false);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    has_content_ = true;
    if (json::FirstInvalidUtf8(value) != value.size())
      throw Stop{mark, R"(an escape that cannot be read; write \N as \u0085 and \_ as \u00a0)"};
    if (tag == "?" || tag.empty()) {
      Add(mark, anchor, Resolved(value, mark), value == "<<");
    } else if (tag == "tag:yaml.org,2002:int" || tag == "tag:yaml.org,2002:float" ||
               tag == "tag:yaml.org,2002:bool" || tag == "tag:yaml.org,2002:null") {
      Add(mark, anchor, Resolved(value, mark), false);
    } else if (tag == "tag:yaml.org,2002:binary") {
      throw Stop{mark,
                 "!!binary is not decoded; write the text itself, or in a Secret its base64 "
                 "without a tag"};
    } else {  // "!", a string's, those nobody knows: the text as it stands
      Add(mark, anchor, Value(value), false);
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Begin(mark, anchor, Value::MakeArray());
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Begin(mark, anchor, Value::MakeObject());
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Open {
    Open(Value v, YAML::anchor_t a, std::size_t nodes, std::size_t bytes, const YAML::Mark& m)
        : value(std::move(v)), anchor(a), first_node(nodes), first_byte(bytes), mark(m) {}

    Value value;
    YAML::anchor_t anchor;
    std::size_t first_node;
    std::size_t first_byte;
    YAML::Mark mark;
    std::size_t depth = 1;  // with what it holds so far
    // Of a map: in the order of the text. Names that occur twice are found when it ends.
    std::vector<json::Object::Member> members;
    std::vector<YAML::Mark> key_marks;
    std::vector<int> value_lines;
    bool has_key = false;
    bool merge_key = false;
    std::string key;
    YAML::Mark key_mark;
    // What << brings in: applied at the end, since keys of the map itself win.
    std::vector<Value> merges;
  };
  struct Anchored {
    Value value;
    std::size_t nodes = 1;
    std::size_t bytes = kNodeBytes;
    std::size_t depth = 0;
  };

  void Begin(const YAML::Mark& mark, YAML::anchor_t anchor, Value empty) {
    has_content_ = true;
    Count(mark, 1);
    bytes_ += kNodeBytes;
    if (open_.size() >= json::kMaxDepth) throw TooDeep(mark);
    open_.emplace_back(std::move(empty), anchor, nodes_, bytes_, mark);
  }

  static Stop TooDeep(const YAML::Mark& mark) {
    return Stop{mark, "nested deeper than " + std::to_string(json::kMaxDepth) + " levels"};
  }

  // `open` gets something of that depth.
  void Deepen(const YAML::Mark& mark, Open& open, std::size_t depth) const {
    open.depth = std::max(open.depth, depth + 1);
    if (open_.size() + depth > json::kMaxDepth) throw TooDeep(mark);
  }

  void Copy(const YAML::Mark& mark, std::size_t bytes) {
    bytes_ += bytes;
    copied_ += bytes;
    if (copied_ <= kMaxCopiedBytes) return;
    throw Stop{mark, "aliases multiply what they name to more than " +
                         std::to_string(kMaxCopiedBytes >> 20) + " MiB"};
  }

  void Count(const YAML::Mark& mark, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > kMaxNodes) throw Stop{mark, "too many values; aliases multiply what they name"};
  }

  void Close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.value.is_object()) done.value = MapOf(done);
    if (!open_.empty()) Deepen(done.mark, open_.back(), done.depth);
    if (done.anchor != 0) {
      const std::size_t bytes = bytes_ - done.first_byte + kNodeBytes;
      Copy(done.mark, bytes);
      anchors_[done.anchor] = {done.value, nodes_ - done.first_node + 1, bytes, done.depth};
    }
    Place(done.mark, std::move(done.value), false);
  }

  // The members of a map, and what << brings in.
  Value MapOf(Open& done) const {
    CheckKeys(done);
    std::vector<json::Object::Member> brought;
    if (!done.merges.empty()) {
      std::set<std::string, std::less<>> names;
      for (const auto& member : done.members) names.insert(member.first);
      for (const Value& merged : done.merges) {
        for (const json::Object::Member& member : merged.members()) {
          if (names.insert(member.first).second) brought.push_back(member);
        }
      }
    }
    std::move(brought.begin(), brought.end(), std::back_inserter(done.members));
    return Value(json::Object(std::move(done.members)));
  }

  void CheckKeys(Open& done) const {
    std::vector<std::size_t> order(done.members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return done.members[a].first < done.members[b].first;
    });
    std::size_t first = done.members.size();  // that repeats another
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (done.members[order[i]].first == done.members[order[i - 1]].first) {
        first = std::min(first, order[i]);
      }
    }
    if (first == done.members.size()) return;
    if (repeated_ != nullptr) return NoteRepeated(done);
    throw Stop{done.key_marks[first],
               "the key \"" + done.members[first].first + "\" occurs twice in this map"};
  }

  // The last value of each key stays, where the first stood.
  void NoteRepeated(Open& done) const {
    std::unordered_map<std::string, std::size_t> places;
    std::vector<json::Object::Member> members;
    for (std::size_t i = 0; i < done.members.size(); ++i) {
      json::Object::Member& member = done.members[i];
      const auto [place, fresh] = places.emplace(member.first, members.size());
      if (fresh) {
        members.push_back(std::move(member));
        continue;
      }
      std::string text = "line " + std::to_string(done.value_lines[i] + 1) + ": key ";
      json::AppendQuoted(text, member.first);
      repeated_->push_back(text + " already set in map");
      members[place->second].second = std::move(member.second);
    }
    done.members = std::move(members);
  }

  void Add(const YAML::Mark& mark, YAML::anchor_t anchor, Value value, bool is_merge_key) {
    Count(mark, 1);
    const std::size_t bytes = kNodeBytes + value.StringOrEmpty().size();
    bytes_ += bytes;
    if (anchor != 0) {
      Copy(mark, bytes);
      anchors_[anchor] = {value, 1, bytes, 0};
    }
    Place(mark, std::move(value), is_merge_key);
  }

  void Place(const YAML::Mark& mark, Value value, bool is_merge_key) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& top = open_.back();
    if (json::Array* array = top.value.IfArray()) {
      array->push_back(std::move(value));
      return;
    }
    if (!top.has_key) {
      top.has_key = true;
      top.merge_key = is_merge_key;
      top.key = KeyText(mark, value);
      top.key_mark = mark;
      return;
    }
    top.has_key = false;
    if (!top.merge_key) {
      top.members.emplace_back(std::move(top.key), std::move(value));
      top.key_marks.push_back(top.key_mark);
      top.value_lines.push_back(mark.line);
      return;
    }
    if (value.is_array()) {
      for (const Value& item : value.items()) {
        if (!item.is_object()) throw Stop{mark, "<< takes a map or a list of maps"};
        top.merges.push_back(item);
      }
    } else if (value.is_object()) {
      top.merges.push_back(std::move(value));
    } else {
      throw Stop{mark, "<< takes a map or a list of maps"};
    }
  }

  static std::string KeyText(const YAML::Mark& mark, const Value& key) {
    switch (key.type()) {
      case json::Type::kString:
        return key.StringOrEmpty();
      case json::Type::kNumber:
        return key.NumberText();
      case json::Type::kBool:
        return *key.AsBool() ? "true" : "false";
      case json::Type::kNull:
        throw Stop{mark, "null cannot be a key; quote it if it is a string"};
      default:
        throw Stop{mark, "a list or a map cannot be a key"};
    }
  }

  std::vector<std::string>* const repeated_;
  Value root_;
  YAML::Mark start_ = YAML::Mark::null_mark();
  bool has_content_ = false;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;   // of all values so far
  std::size_t copied_ = 0;  // of these
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
};

Error Fail(std::string_view file, const YAML::Mark& mark, const std::string& why) {
  std::string message = file.empty() ? "YAML" : std::string(file);
  if (!mark.is_null()) {
    const std::string line = std::to_string(mark.line + 1);
    const std::string column = std::to_string(mark.column + 1);
    message += file.empty() ? ", line " + line + ", column " + column : ":" + line + ":" + column;
  }
  return Error(Reason::kDecode, message + ": " + why);
}

Result<std::vector<Value>> ReadAll(std::string_view text, std::string_view file,
                                   std::vector<std::string>* repeated) {
  std::vector<Value> documents;
  // JSON is YAML, and much faster to read as JSON. What is not JSON (flow style, comments, several
  // documents) or would be another value as YAML falls through.
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return documents;
  if (text[first] == '{' || text[first] == '[') {
    Result<Value> value = json::Parse(text, {.reject_duplicate_keys = true});
    if (value && NumbersFit(*value)) {
      documents.push_back(std::move(*value));
      return documents;
    }
  }
  // yaml-cpp would pass on what is not UTF-8, and take a text with zero bytes for UTF-16; Go's
  // reader refuses both, too.
  if (const std::size_t bad = std::min(json::FirstInvalidUtf8(text), text.find('\0'));
      bad < text.size()) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
    return Error(Reason::kDecode, (file.empty() ? "YAML, line " : std::string(file) + ":") +
                                      std::to_string(line) + ": the text is not UTF-8");
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    int last_start = -1;
    while (true) {
      Builder builder(repeated);
      if (!parser.HandleNextDocument(builder)) break;
      // yaml-cpp does not get past a ',' or ']' that nothing opened, and finds empty documents
      // there without end.
      if (builder.start().pos == last_start)
        return Fail(file, builder.start(), "a ',', ']' or '}' that belongs to nothing");
      last_start = builder.start().pos;
      if (builder.has_content()) documents.push_back(builder.Take());
    }
  } catch (const Stop& stop) {
    return Fail(file, stop.mark, stop.why);
  } catch (const YAML::Exception& exception) {
    return Fail(file, exception.mark, exception.msg);
  }
  return documents;
}

Result<Value> ReadOne(std::string_view text, std::string_view file,
                      std::vector<std::string>* repeated) {
  Result<std::vector<Value>> documents = ReadAll(text, file, repeated);
  if (!documents) return std::move(documents).error();
  if (documents->empty()) return Value();
  if (documents->size() > 1) {
    return Error(Reason::kDecode, (file.empty() ? "YAML" : std::string(file)) + ": " +
                                      std::to_string(documents->size()) +
                                      " documents where one is expected");
  }
  return std::move(documents->front());
}

}  // namespace

Result<std::vector<Value>> ParseAll(std::string_view text, std::string_view file) {
  return ReadAll(text, file, nullptr);
}

Result<Value> Parse(std::string_view text, std::string_view file) {
  return ReadOne(text, file, nullptr);
}

Result<Value> ParseRepeated(std::string_view text, std::vector<std::string>& repeated) {
  return ReadOne(text, {}, &repeated);
}

}  // namespace kinformer::yaml
