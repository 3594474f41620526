#include "object/transcode/projection_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wire/protobuf_reader.h"
#include "wire/protobuf_writer.h"

namespace kinformer::internal {
namespace {

using Names = std::vector<std::string>;

Error BadPath(std::string_view path, std::string_view why) {
  return Error(Reason::kInvalidArgument,
               "projection: path \"" + std::string(path) + "\": " + std::string(why));
}

constexpr std::string_view kNoBrackets =
    "lists need no brackets: a path goes into all elements of a list; names with dots are written "
    "[\"a.b\"]";

// spec.selector["a.b/c"]
Result<Names> NamesOf(std::string_view path) {
  Names names;
  std::size_t at = 0;
  while (at < path.size()) {
    if (path.substr(at).starts_with("[\"")) {
      const std::size_t end = path.find("\"]", at);
      if (end == std::string_view::npos || end <= at + 2) {
        return BadPath(path, "[\" without a name and \"] behind it");
      }
      names.emplace_back(path.substr(at + 2, end - at - 2));
      at = end + 2;
    } else {
      const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
      if (end == at && path[at] == '[') return BadPath(path, kNoBrackets);
      if (end == at) return BadPath(path, "a name is missing; names stand between single dots");
      names.emplace_back(path.substr(at, end - at));
      if (names.back().find_first_of("]*\"") != std::string::npos) {
        return BadPath(path, kNoBrackets);
      }
      at = end;
    }
    if (at < path.size() && path[at] == '.') {
      if (++at == path.size()) return BadPath(path, "it ends with a dot");
    }
  }
  if (names.empty()) return BadPath(path, "it is empty");
  return names;
}

void Insert(ProjectionTree::Node& root, const Names& names) {
  ProjectionTree::Node* node = &root;
  for (const std::string& name : names) {
    if (node->whole) return;  // a shorter path covers it
    auto at = std::find_if(node->children.begin(), node->children.end(),
                           [&](const ProjectionTree::Node& child) { return child.name == name; });
    if (at == node->children.end()) {
      node->children.push_back({.name = name});
      at = node->children.end() - 1;
    }
    node = &*at;
  }
  node->whole = true;
}

bool HasOwnFields(const FieldDescriptor& field) {
  return field.kind == FieldKind::kMessage && field.message != nullptr &&
         field.message->union_kind == UnionKind::kNone;
}

Error Malformed(std::string_view message, const char* at) {
  return Error(Reason::kDecode, "malformed protobuf field at byte " +
                                    std::to_string(at - message.data()) + " of " +
                                    std::to_string(message.size()));
}

}  // namespace

Result<ProjectionTree> ProjectionTree::Make(bool keep, const std::vector<std::string>& paths) {
  constexpr std::array<std::string_view, 4> kIdentity = {"name", "namespace", "uid",
                                                         "resourceVersion"};
  ProjectionTree tree;
  tree.keep_ = keep;
  tree.makes_partial_ = keep;
  for (const std::string& path : paths) {
    Result<Names> names = NamesOf(path);
    if (!names) return std::move(names).error();
    const std::string& first = names->front();
    if (!keep && (first == "kind" || first == "apiVersion" ||
                  (first == "metadata" &&
                   (names->size() == 1 || std::find(kIdentity.begin(), kIdentity.end(),
                                                    (*names)[1]) != kIdentity.end())))) {
      return BadPath(path,
                     "what identifies an object cannot be dropped; the rest of the metadata "
                     "can, by name: metadata.annotations");
    }
    const bool managed_fields =
        names->size() == 2 && first == "metadata" && (*names)[1] == "managedFields";
    tree.makes_partial_ = tree.makes_partial_ || !managed_fields;
    Insert(tree.root_, *names);
  }
  std::vector<std::string> sorted = paths;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  tree.text_ = keep ? "keep" : "drop";
  for (const std::string& path : sorted) tree.text_ += (tree.text_.size() == 4 ? " " : ", ") + path;
  if (sorted.empty()) tree.text_ += keep ? " the metadata" : " nothing";
  return tree;
}

// ---- protobuf

Result<void> ProjectionTree::Cut(const MessageDescriptor& message, std::string_view bytes,
                                 std::string& out) const {
  return CutMessage(message, bytes, root_, true, out);
}

Result<void> ProjectionTree::CutMessage(const MessageDescriptor& message, std::string_view bytes,
                                        const Node& node, bool root, std::string& out) const {
  const char* const end = bytes.data() + bytes.size();
  for (const char* at = bytes.data(); at != end;) {
    const char* const begin = at;
    wire::WireField value;
    at = wire::ReadField(at, end, value);
    if (at == nullptr) return Malformed(bytes, begin);
    const std::string_view whole(begin, static_cast<std::size_t>(at - begin));
    const FieldDescriptor* field = FindByNumber(message, value.number);
    const bool nested = field != nullptr && value.type == wire::WireType::kBytes;
    if (nested && field->inlined && HasOwnFields(*field)) {
      // In paths, its fields belong to the parent.
      if (Result<void> cut = CutNested(*field, value.bytes(), node, out); !cut) return cut;
      continue;
    }
    const Node* child = field == nullptr ? nullptr : node.Find(field->json_name);
    // The first and the last branch do the same for different reasons.
    // NOLINTNEXTLINE(bugprone-branch-clone)
    if (root && keep_ && field != nullptr && field->json_name == "metadata") {
      out += whole;
    } else if (child == nullptr || child->whole) {
      if (keep_ == (child != nullptr)) out += whole;
    } else if (nested && field->map) {
      Result<void> cut = CutEntry(*field, whole, value.bytes(), *child, out);
      if (!cut) return std::move(cut).error().WithContext(field->json_name);
    } else if (nested && HasOwnFields(*field)) {
      Result<void> cut = CutNested(*field, value.bytes(), *child, out);
      if (!cut) return std::move(cut).error().WithContext(field->json_name);
    } else {
      out += whole;  // the path ends at a scalar
    }
  }
  return {};
}

Result<void> ProjectionTree::CutNested(const FieldDescriptor& field, std::string_view bytes,
                                       const Node& node, std::string& out) const {
  wire::ProtobufWriter writer(out);
  writer.Tag(field.number, wire::WireType::kBytes);
  // The length of the reduced message usually needs as many bytes as the old one, so nothing has to
  // be moved.
  const std::size_t room = wire::VarintSize(bytes.size());
  const std::size_t length_at = out.size();
  out.append(room, '\0');
  Result<void> cut = CutMessage(*field.message, bytes, node, false, out);
  if (!cut) return cut;
  const std::size_t size = out.size() - length_at - room;
  char length[10];
  const char* const length_end = wire::WriteVarint(length, size);
  out.replace(length_at, room, length, static_cast<std::size_t>(length_end - length));
  return {};
}

Result<void> ProjectionTree::CutEntry(const FieldDescriptor& field, std::string_view whole,
                                      std::string_view entry, const Node& node,
                                      std::string& out) const {
  std::string_view key;
  wire::WireField value;
  wire::ProtobufReader reader(entry);
  while (reader.Next()) {
    if (reader.field() == 1 && reader.type() == wire::WireType::kBytes) key = reader.bytes();
    if (reader.field() == 2) value = reader.value();
  }
  if (!reader.ok()) return Malformed(entry, entry.data() + reader.offset());
  const Node* child = node.Find(key);
  if (child == nullptr || child->whole) {
    if (keep_ == (child != nullptr)) out += whole;
    return {};
  }
  if (!HasOwnFields(field) || value.type != wire::WireType::kBytes || !value) {
    out += whole;
    return {};
  }
  std::string left;
  if (Result<void> cut = CutMessage(*field.message, value.bytes(), *child, false, left); !cut) {
    return cut;
  }
  wire::ProtobufWriter(out).Nested(field.number, [&](wire::ProtobufWriter& writer) {
    writer.BytesField(1, key);
    writer.BytesField(2, left);
  });
  return {};
}

// ---- JSON

void ProjectionTree::Cut(const JsonTape& tape, std::string& out) const {
  CutValue(tape, 0, root_, true, out);
}

void ProjectionTree::CutValue(const JsonTape& tape, std::uint32_t at, const Node& node, bool root,
                              std::string& out) const {
  const std::uint32_t end = tape[at].next;
  if (tape[at].type == JsonType::kArray) {
    out += '[';
    for (std::uint32_t element = at + 1; element < end; element = tape[element].next) {
      if (element != at + 1) out += ',';
      CutValue(tape, element, node, false, out);
    }
    out += ']';
    return;
  }
  if (tape[at].type != JsonType::kObject) {
    out += tape.Text(at);
    return;
  }
  std::string scratch;
  char separator = '{';
  for (std::uint32_t key = at + 1; key < end; key = tape[key + 1].next) {
    const std::string_view name = tape.String(key, scratch);
    const Node* child = node.Find(name);
    const bool always =
        root && (name == "kind" || name == "apiVersion" || (keep_ && name == "metadata"));
    const bool deeper = !always && child != nullptr && !child->whole;
    if (!always && !deeper && keep_ != (child != nullptr)) continue;
    out += std::exchange(separator, ',');
    out += tape.Text(key);
    out += ':';
    if (deeper) {
      CutValue(tape, key + 1, *child, false, out);
    } else {
      out += tape.Text(key + 1);
    }
  }
  if (separator == '{') out += '{';
  out += '}';
}

// ---- schema

namespace {

Result<void> Check(const MessageDescriptor& message, const ProjectionTree::Node& node,
                   const std::string& path, bool root) {
  for (const ProjectionTree::Node& child : node.children) {
    const std::string here = path.empty() ? child.name : path + "." + child.name;
    const FieldDescriptor* field = FindJsonMember(message, child.name);
    if (field == nullptr) {
      if (root && (child.name == "kind" || child.name == "apiVersion")) continue;
      return BadPath(here, "there is no field \"" + child.name + "\" in " +
                               std::string(message.name) + "; paths are made of JSON names");
    }
    if (child.whole) continue;
    if (field->map) {
      for (const ProjectionTree::Node& key : child.children) {
        if (key.whole) continue;
        if (!HasOwnFields(*field)) {
          return BadPath(here, "the values of this map have no fields");
        }
        Result<void> inner = Check(*field->message, key, here + "[\"" + key.name + "\"]", false);
        if (!inner) return inner;
      }
      continue;
    }
    if (field->kind == FieldKind::kRawJson) {
      return BadPath(here,
                     "this field holds an object of any kind, which is kept as it was sent; it can "
                     "only be named whole");
    }
    if (!HasOwnFields(*field)) return BadPath(here, "this field has no fields of its own");
    if (Result<void> inner = Check(*field->message, child, here, false); !inner) return inner;
  }
  return {};
}

}  // namespace

Result<void> ProjectionTree::CheckFor(const MessageDescriptor& message) const {
  return Check(message, root_, "", true);
}

}  // namespace kinformer::internal
