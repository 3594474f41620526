#include "object/transcode/transcode.h"

#include <cstddef>
#include <limits>
#include <set>
#include <utility>

#include "kinformer/json/json.h"

#include "object/transcode/backward_writer.h"
#include "object/transcode/json_tape.h"
#include "object/transcode/message_encoder.h"

namespace kinformer::internal {
namespace {

// Adapts a tape for MessageEncoder.
class TapeSource {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNone = std::numeric_limits<Node>::max();
  static constexpr bool kKeeps = true;

  explicit TapeSource(const JsonTape& tape) : tape_(tape) {}

  [[nodiscard]] JsonType Type(Node node) const { return tape_[node].type; }
  [[nodiscard]] std::string_view TypeName(Node node) const { return tape_.TypeName(node); }
  [[nodiscard]] std::string_view String(Node node, std::string& scratch) const {
    return tape_.String(node, scratch);
  }
  [[nodiscard]] std::string_view Text(Node node, std::string&) const { return tape_.Text(node); }
  static bool IsRoot(Node node) { return node == 0; }
  template <class F>
  void ForEachMember(Node object, std::string& scratch, const F& visit) const {
    for (Node key = object + 1; key < tape_[object].next;) {
      const Node value = key + 1;
      visit(tape_.String(key, scratch), value);
      key = tape_[value].next;
    }
  }
  template <class F>
  void ForEachItem(Node array, const F& visit) const {
    for (Node at = array + 1; at < tape_[array].next; at = tape_[at].next) visit(at);
  }
  [[nodiscard]] Error ErrorAt(Node node, std::string_view what) const {
    std::string path = tape_.PathOf(node);
    if (!path.empty()) path += ": ";
    return Error(Reason::kDecode, "JSON: " + path + std::string(what) + " at byte " +
                                      std::to_string(tape_[node].begin));
  }

 private:
  const JsonTape& tape_;
};

constexpr std::size_t kMaxProblemBytes = std::size_t{1} << 20;

// Walks the JSON in its own order and reports fields that the schema lacks.
class FieldChecker {
 public:
  FieldChecker(const JsonTape& tape, FieldProblems& problems) : tape_(tape), problems_(problems) {}

  void Object(const MessageDescriptor& message, std::uint32_t object) {
    if (tape_[object].type != JsonType::kObject) return;
    std::set<std::string> seen;
    const std::size_t size = path_.size();
    for (std::uint32_t key = object + 1; key < tape_[object].next;) {
      const std::uint32_t value = tape_[key].next;
      const auto [name, fresh] = seen.emplace(tape_.String(key, scratch_));
      const FieldDescriptor* field = FindJsonMember(message, *name);
      const bool type_meta = message.type_meta && IsTypeMeta(*name);
      Enter(*name);
      if (!fresh) {
        Report(problems_.duplicate, "duplicate");
      } else if (field == nullptr && !type_meta && !(object == 0 && IsTypeMeta(*name))) {
        Report(problems_.unknown, "unknown");
      }
      if (field != nullptr && field->message != nullptr) Value(*field, value);
      path_.resize(size);
      key = tape_[value].next;
    }
  }

 private:
  static bool IsTypeMeta(std::string_view name) { return name == "kind" || name == "apiVersion"; }

  void Enter(std::string_view name) {
    if (!path_.empty()) path_ += '.';
    path_ += name;
  }

  // Adds a problem with the current path. Limited in bytes, since paths can be long and many.
  void Report(std::vector<std::string>& list, std::string_view what) {
    if (bytes_ > kMaxProblemBytes) {
      ++problems_.more;
      return;
    }
    list.push_back(std::string(what) + " field \"" + path_ + "\"");
    bytes_ += list.back().size();
  }

  void Value(const FieldDescriptor& field, std::uint32_t node) {
    if (!field.map && !field.repeated) return One(*field.message, node);
    const bool keyed = tape_[node].type == JsonType::kObject;
    const std::size_t size = path_.size();
    std::size_t index = 0;
    for (std::uint32_t at = node + 1; at < tape_[node].next; at = tape_[at].next) {
      if (keyed) {
        Enter(tape_.String(at, scratch_));
        at = tape_[at].next;
      } else {
        path_ += '[' + std::to_string(index++) + ']';
      }
      One(*field.message, at);
      path_.resize(size);
    }
  }

  void One(const MessageDescriptor& message, std::uint32_t node) {
    if (message.union_kind == UnionKind::kNone) return Object(message, node);
    for (const FieldDescriptor& field : message.fields) {
      if (field.message == nullptr) continue;
      if (tape_[node].type == JsonType::kArray && field.repeated) Value(field, node);
      if (tape_[node].type == JsonType::kObject && !field.repeated) Object(*field.message, node);
    }
  }

  const JsonTape& tape_;
  FieldProblems& problems_;
  std::string path_;       // current path
  std::size_t bytes_ = 0;  // total size of the reported texts
  std::string scratch_;
};

}  // namespace

Result<void> JsonToProtobuf(const MessageDescriptor& message, const JsonTape& tape,
                            std::uint32_t node, BackwardWriter& out, UnknownMembers unknown,
                            std::string_view dropped) {
  const TapeSource source(tape);
  MessageEncoder encoder(source, out, unknown, dropped);
  if (!encoder.Run(message, node)) return encoder.TakeError();
  return {};
}

Result<std::string> JsonToProtobuf(const MessageDescriptor& message, std::string_view json,
                                   FieldProblems* problems, UnknownMembers unknown) {
  Result<JsonTape> tape = JsonTape::Parse(json);
  if (!tape) return std::move(tape).error();
  BackwardWriter out(json.size());
  if (Result<void> done = JsonToProtobuf(message, *tape, 0, out, unknown); !done) {
    return std::move(done).error();
  }
  if (problems != nullptr) FieldChecker(*tape, *problems).Object(message, 0);
  return std::string(out.view());
}

bool HasUnknownFields(const MessageDescriptor& message, std::string_view bytes) {
  wire::ProtobufReader reader(bytes);
  while (reader.Next()) {
    const FieldDescriptor* const field = FindByNumber(message, reader.field());
    if (field == nullptr) {
      if (reader.field() != kKeptMemberField) return true;
      continue;
    }
    if (field->message == nullptr || reader.type() != wire::WireType::kBytes) continue;
    if (!field->map) {
      if (HasUnknownFields(*field->message, reader.bytes())) return true;
      continue;
    }
    wire::ProtobufReader entry(reader.bytes());
    while (entry.Next()) {
      if (entry.field() == 2 && entry.type() == wire::WireType::kBytes &&
          HasUnknownFields(*field->message, entry.bytes())) {
        return true;
      }
    }
  }
  return false;
}

bool HasKeptMembers(std::string_view message) {
  return message.find("\xfa\xff\xff\xff\x0f") != std::string_view::npos;  // the field's tag
}

std::string TypeMetaJson(std::string_view kind, std::string_view api_version) {
  std::string out = "\"kind\":";
  json::AppendQuoted(out, kind);
  out += ",\"apiVersion\":";
  json::AppendQuoted(out, api_version);
  return out;
}

}  // namespace kinformer::internal
