// Comparison of an object with what a test expects of it: the whole, or a part.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/internal/document_checks.h"
#include "kinformer/internal/registry.h"
#include "kinformer/json/yaml.h"

#include "object/transcode/protobuf_to_value.h"
#include "object/transcode/transcode.h"

namespace kinformer::internal::kit {
namespace {

// Returns a built-in object with the members that its struct always writes, such as an empty
// status; any other object as it is. So is one with fields that its kind does not have: they are to
// be seen.
json::Value Canonical(const json::Value& object) {
  const std::string_view api_version = object["apiVersion"].StringOrEmpty();
  const std::size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  const KindInfo* type =
      FindType(core ? "" : api_version.substr(0, slash),
               core ? api_version : api_version.substr(slash + 1), object["kind"].StringOrEmpty());
  if (type == nullptr || type->message == nullptr) return object;
  FieldProblems problems;
  const Result<std::string> bytes = JsonToProtobuf(*type->message, object.Dump(), &problems);
  if (!bytes || !problems.unknown.empty() || problems.more > 0) return object;
  return ProtobufToValue(*type->message, *bytes, type->kind, type->apiVersion()).value_or(object);
}

// Gives `expected` the kind of `actual` if it has none.
json::Value WithKindOf(const json::Value& actual, json::Value expected) {
  if (!expected.is_object()) return expected;
  for (const char* member : {"apiVersion", "kind"}) {
    if (!expected.contains(member) && actual.contains(member)) {
      expected.Set(member, actual[member]);
    }
  }
  return expected;
}

std::string Indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.append("  ").append(text.substr(0, end)).append("\n");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

DocumentCheck Unreadable(const Error& error, const std::string& wanted) {
  const std::string why = wanted + " cannot be read: " + error.message();
  return {.expected = "(" + why + ")",
          .refused = "(" + why + ")",
          .run = [why](const json::Value&) { return Verdict{false, "is not compared: " + why}; }};
}

std::string MemberPath(const std::string& path, std::string_view name) {
  const bool plain = name.find_first_of(".[/ ") == std::string_view::npos;
  return path + (plain ? "." + std::string(name) : "['" + std::string(name) + "']");
}

// Returns what is missing or differs, as "has .spec.replicas 2, and not 3"; empty if all is there.
std::string Missing(const json::Value& expected, const json::Value& actual,
                    const std::string& path);

std::string MissingItems(const json::Array& expected, const json::Array& actual,
                         const std::string& path) {
  const bool objects = std::all_of(expected.begin(), expected.end(),
                                   [](const json::Value& item) { return item.is_object(); });
  if (!objects || expected.empty()) {
    return expected == actual ? ""
                              : "has at " + path + " " + json::Value(actual).Dump() + ", and not " +
                                    json::Value(expected).Dump();
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::string nearest;
    std::size_t j = at;
    for (; j < actual.size(); ++j) {
      const std::string missing =
          Missing(expected[i], actual[j], path + "[" + std::to_string(j) + "]");
      if (missing.empty()) break;
      // The item with the same name is the one that was meant.
      const bool same_name = expected[i].contains("name") && actual[j].contains("name") &&
                             expected[i]["name"] == actual[j]["name"];
      if (nearest.empty() || same_name) nearest = missing;
    }
    if (j == actual.size()) {
      return actual.size() == 1 || (expected[i].contains("name") && !nearest.empty())
                 ? nearest
                 : "has at " + path + " no item that contains " + expected[i].Dump();
    }
    at = j + 1;
  }
  return "";
}

std::string Missing(const json::Value& expected, const json::Value& actual,
                    const std::string& path) {
  if (const json::Object* members = expected.IfObject(); members != nullptr && actual.is_object()) {
    for (const auto& [name, value] : *members) {
      const json::Value* found = actual.Find(name);
      if (found == nullptr && value.is_null()) continue;
      const std::string at = MemberPath(path, name);
      if (found == nullptr) return "has no " + at;
      if (std::string missing = Missing(value, *found, at); !missing.empty()) return missing;
    }
    return "";
  }
  if (expected.is_array() && actual.is_array()) {
    return MissingItems(expected.items(), actual.items(), path);
  }
  if (expected == actual) return "";
  return "has at " + path + " " + actual.Dump() + ", and not " + expected.Dump();
}

}  // namespace

DocumentCheck EqualsDocument(Result<json::Value> expected) {
  if (!expected) return Unreadable(expected.error(), "the expected object");
  const std::string text = Indented(yaml::Dump(*expected));
  return {.expected = "is equal to\n" + text,
          .refused = "is not equal to\n" + text,
          .run = [expected = *std::move(expected)](const json::Value& object) -> Verdict {
            const json::Value actual = Canonical(object);
            const json::Value wanted = Canonical(WithKindOf(object, expected));
            if (wanted == actual) return {.holds = true, .found = "is equal"};
            return {.holds = false,
                    .found = "differs (- expected, + actual):\n" +
                             LineDiff(yaml::Dump(wanted), yaml::Dump(actual))};
          }};
}

DocumentCheck ContainsDocument(Result<json::Value> expected) {
  if (!expected) return Unreadable(expected.error(), "the expected part");
  const std::string text = Indented(yaml::Dump(*expected));
  return {.expected = "contains\n" + text,
          .refused = "does not contain\n" + text,
          .run = [expected = *std::move(expected)](const json::Value& object) -> Verdict {
            std::string missing = Missing(expected, object, "");
            const bool holds = missing.empty();
            return {.holds = holds, .found = holds ? "contains it" : std::move(missing)};
          }};
}

}  // namespace kinformer::internal::kit
