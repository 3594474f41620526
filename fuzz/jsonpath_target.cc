// JSONPath templates: any text parses or is refused at a position, and whatever parses ends on a
// document, with the same output each time.

#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/jsonpath.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {
namespace {

constexpr char kDocument[] =
    R"({"items":[{"n":"a","v":1,"ok":true},{"n":"b","v":2.5},{"n":"c","v":null},[[1],[2,3]],"t"],)"
    R"("a":{"b":{"c":["x","y"]},"e":{}},"we.ird":"dot","nil":null,"big":1e30})";

}  // namespace

void FuzzJsonPath(std::string_view input) {
  const json::Value document = json::Parse(kDocument).OrExit();
  const Result<json::JSONPath> path =
      json::JSONPath::Parse(input, {.allow_missing_keys = true, .max_values = 20'000});
  if (!path) {
    Require(std::string_view(path.error().message()).starts_with("at "),
            "an error names the position", input, path.error().message());
    return;
  }
  const Result<std::string> output = path->Execute(document);
  if (!output) {
    Require(!output.error().message().empty(), "an error says something");
    return;
  }
  RequireEqual(path->Execute(document).value_or("fails"), *output, "the output is stable");
  // The values make up the output.
  std::string joined;
  for (const std::vector<const json::Value*>& found : path->FindResults(document).OrExit()) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      joined += (i == 0 ? "" : " ") + json::EvalToText(*found[i]);
    }
  }
  RequireEqual(joined, *output, "the values make up the output");
}

}  // namespace kinformer::fuzz
