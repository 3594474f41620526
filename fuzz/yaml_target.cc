// YAML: what is read and written reads the same.

#include <string>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/yaml.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {

void FuzzYaml(std::string_view input) {
  const std::string text(input);
  const Result<std::vector<json::Value>> documents = yaml::ParseAll(text);
  const Result<json::Value> one = yaml::Parse(text);
  if (!documents) {
    Require(!documents.error().message().empty(), "an error says something");
    Require(!one.ok(), "one document is as well-formed as all");
    return;
  }
  for (const json::Value& document : *documents) {
    const std::string dumped = yaml::Dump(document);
    const Result<json::Value> again = yaml::Parse(dumped);
    Require(again.ok(), "what is dumped parses", dumped,
            again.ok() ? std::string_view() : again.error().message());
    Require(*again == document, "what is dumped is the same", again->Dump(), document.Dump());
    RequireEqual(yaml::Dump(*again), dumped, "dumping is stable");
  }
}

}  // namespace kinformer::fuzz
