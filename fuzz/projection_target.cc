// Projections: the result must equal that of a simple projection of the object's JSON, in both
// encodings.
//
// Input: paths separated by ';', a line feed, the object; the last bytes are choices.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/object/projection.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "object/transcode/json_tape.h"
#include "object/transcode/projection_tree.h"
#include "object/transcode/transcode.h"

namespace kinformer::fuzz {

namespace {

using Names = std::vector<std::string>;

// Only paths without brackets, which can be split at the separator.
std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

// Returns the projection of `value`, whose path is `here`.
json::Value Left(const json::Value& value, const std::vector<Names>& paths, bool keep,
                 const Names& here) {
  if (value.type() == json::Type::kArray) {
    json::Value out = json::Value::MakeArray();
    for (const json::Value& item : value.items()) out.Append(Left(item, paths, keep, here));
    return out;
  }
  if (value.type() != json::Type::kObject) return value;
  json::Value out = json::Value::MakeObject();
  for (const auto& [name, member] : value.members()) {
    Names at = here;
    at.emplace_back(name);
    const bool always =
        here.empty() && (name == "kind" || name == "apiVersion" || (keep && name == "metadata"));
    bool named = false;    // the member, or one that contains it
    bool further = false;  // something inside the member
    for (const Names& path : paths) {
      const std::size_t size = std::min(path.size(), at.size());
      if (!std::equal(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(size), at.begin())) {
        continue;
      }
      named = named || path.size() <= at.size();
      further = further || path.size() > at.size();
    }
    if (always || (keep ? named : !named && !further)) {
      out.Set(name, member);
    } else if (further && !named) {
      out.Set(name, Left(member, paths, keep, at));
    }
  }
  return out;
}

void FuzzJsonObject(std::string_view text, const internal::ProjectionTree& tree,
                    const std::vector<Names>& paths, bool keep) {
  const Result<json::Value> whole = json::Parse(text);
  const Result<internal::JsonTape> tape = internal::JsonTape::Parse(text);
  if (!whole || !tape || whole->type() != json::Type::kObject) return;
  std::string cut;
  tree.Cut(*tape, cut);
  const Result<json::Value> left = json::Parse(cut);
  Require(left.ok(), "what is left is JSON", text, cut);
  const json::Value wanted = Left(*whole, paths, keep, {});
  Require(*left == wanted, "what is left of JSON", cut, wanted.Dump());
}

void FuzzMessage(const KindInfo& type, std::string_view message,
                 const internal::ProjectionTree& tree, const std::vector<Names>& paths, bool keep) {
  const internal::MessageDescriptor& descriptor = *type.message;
  std::string cut;
  const Result<void> done = tree.Cut(descriptor, message, cut);
  if (!done) {
    Require(!done.error().message().empty(), "an error says something");
    return;
  }
  std::string whole_json;
  if (!internal::ProtobufToJson(descriptor, message, whole_json) || !IsUtf8(message)) return;
  std::string left;
  Require(internal::ProtobufToJson(descriptor, cut, left).ok(), "what is left can be read");
  // Go's JSON has some fields even if they are absent; via the message both have them.
  const json::Value wanted = Left(json::Parse(whole_json).value_or({}), paths, keep, {});
  const Result<std::string> wanted_message =
      internal::JsonToProtobuf(descriptor, wanted.Dump(), nullptr, internal::UnknownMembers::kKeep);
  if (!wanted_message) return;  // an invalid number or quantity
  std::string wanted_json;
  Require(internal::ProtobufToJson(descriptor, *wanted_message, wanted_json).ok(),
          "what is wanted can be read");
  Require(json::Parse(left).value_or({}) == json::Parse(wanted_json).value_or({}),
          "what is left of a message", left, wanted_json);
}

}  // namespace

void FuzzProjection(std::string_view input) {
  Choices choices(input);
  const bool keep = choices.Byte() % 2 == 0;
  const bool json = choices.Byte() % 2 == 0;
  const KindInfo& type = PickType(choices.Byte());
  const std::string_view rest = choices.rest();
  const std::size_t cut = rest.find('\n');
  if (cut == std::string_view::npos) return;
  const std::vector<std::string> texts = Split(rest.substr(0, cut), ';');
  if (rest.substr(0, cut).find('[') != std::string_view::npos) return;
  const Result<internal::ProjectionTree> tree = internal::ProjectionTree::Make(keep, texts);
  if (!tree) {
    Require(!tree.error().message().empty(), "an error says something");
    return;
  }
  std::vector<Names> paths;
  for (const std::string& text : texts) paths.push_back(Split(text, '.'));
  if (json) return FuzzJsonObject(rest.substr(cut + 1), *tree, paths, keep);
  if (tree->CheckFor(*type.message)) {
    FuzzMessage(type, rest.substr(cut + 1), *tree, paths, keep);
  } else {
    std::string ignored;
    static_cast<void>(tree->Cut(*type.message, rest.substr(cut + 1), ignored).ok());
  }
}

}  // namespace kinformer::fuzz
