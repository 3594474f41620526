#include "apiserver/read/rendered_list.h"

#include <cstddef>
#include <string_view>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

namespace kinformer::apiserver {
namespace {

// Indentation of items in pretty JSON.
constexpr std::string_view kItemIndent = "    ";

ListFrame PrettyFrame(std::string_view list, std::string_view name) {
  const std::string empty = "\"" + std::string(name) + "\": []";
  // Searches from the end, as it is the last member.
  const std::size_t at = list.rfind(empty) + empty.size() - 2;
  const std::string indent(kItemIndent);
  return {.head = std::string(list.substr(0, at)),
          .before_first = "[\n" + indent,
          .between = ",\n" + indent,
          .after_last = "\n  ]",
          .instead = "[]",
          .tail = std::string(list.substr(at + 2))};
}

ListFrame YamlFrame(std::string_view list, std::string_view name) {
  // Only members of the list itself begin a line without indentation.
  const std::string empty = "\n" + std::string(name) + ": []\n";
  const std::size_t colon = list.rfind(empty) + empty.size() - std::string_view(" []\n").size();
  return {.head = std::string(list.substr(0, colon)),
          .before_first = "\n",
          .instead = " []\n",
          .tail = std::string(list.substr(colon + 4))};
}

}  // namespace

ListFrame RenderedFrame(const ObjectEncoder& encoder, const ListHead& head) {
  std::string json;
  encoder.AppendListHead(head, json);
  ObjectEncoder::AppendListTail(json);
  const std::string list = Render(encoder.format(), std::move(json));
  const std::string_view name = encoder.format().form == Form::kTable ? "rows" : "items";
  return encoder.format().media == MediaType::kYaml ? YamlFrame(list, name)
                                                    : PrettyFrame(list, name);
}

std::string RenderItem(const OutputFormat& format, const std::string& item) {
  Result<json::Value> value = json::Parse(item);
  if (!value) return item;
  if (format.media == MediaType::kYaml) {
    return yaml::Dump(json::Value::MakeArray({*std::move(value)}));
  }
  std::string out;
  std::string text = value->DumpPretty();
  while (text.ends_with('\n')) text.pop_back();
  for (const char c : text) {
    out += c;
    if (c == '\n') out += kItemIndent;
  }
  return out;
}

}  // namespace kinformer::apiserver
