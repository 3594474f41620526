// YAML: a document that is read and written must read as the same document.

#include <string>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {

void FuzzYaml(std::string_view input) {
  const std::string text(input);
  const Result<std::vector<json::Value>> documents = yaml::ParseAll(text);
  const Result<json::Value> one = yaml::Parse(text);
  if (!one) Require(!one.error().message().empty(), "an error says something");
  if (!documents) {
    Require(!documents.error().message().empty(), "an error says something");
    return;
  }
  for (const json::Value& document : *documents) {
    const std::string dumped = yaml::Dump(document);
    // Expanded aliases can make a document so large that parsing it again is slow.
    if (dumped.size() > (std::size_t{1} << 20)) continue;
    const Result<json::Value> again = yaml::Parse(dumped);
    Require(again.ok(), "what is dumped parses", dumped,
            again.ok() ? std::string_view() : again.error().message());
    Require(*again == document, "what is dumped is the same", again->Dump(), document.Dump());
    RequireEqual(yaml::Dump(*again), dumped, "dumping is stable");
  }
}

// Builds a document of lists that refer to each other: two bytes give the depth of a list, and
// which earlier list it refers to how often. The document ends while it is small, since reading the
// largest allowed one takes a while; if the first byte is 0xff, it exceeds the limit.
void FuzzYamlAliases(std::string_view input) {
  constexpr std::size_t kLittle = std::size_t{64} << 10;
  constexpr std::size_t kTooMuch = std::size_t{64} << 20;
  const bool beyond = !input.empty() && input[0] == '\xff';
  const std::string leaf(beyond ? std::size_t{1} << 20 : 100, 'x');
  std::string text = "first: &a0 [\"" + leaf + "\"]\n";
  std::vector<std::size_t> sizes = {leaf.size()};  // approximate expanded size of each list
  std::size_t all = leaf.size();
  for (std::size_t i = 0; i + 1 < input.size() && all < kTooMuch; i += 2) {
    const auto levels = static_cast<unsigned char>(input[i]) % 64U + 1U;
    const auto pick = static_cast<unsigned char>(input[i + 1]);
    const std::size_t count = sizes.size();
    const std::size_t named = count - 1 - (pick % 8) % count;
    const std::size_t size = sizes[named] * (pick / 8U + 1) + levels * sizeof(json::Value);
    if (!beyond && all + size > kLittle) break;
    const std::string alias = "*a" + std::to_string(named);
    const std::string n = std::to_string(count);
    text += "k" + n + ": &a" + n + " " + std::string(levels, '[') + alias;
    for (unsigned times = 0; times < pick / 8U; ++times) text += "," + alias;
    text += std::string(levels, ']') + "\n";
    sizes.push_back(size);
    all += size;
  }
  const Result<json::Value> value = yaml::Parse(text);
  if (!value) {
    Require(!value.error().message().empty(), "an error says something");
    return;
  }
  Require(all < kTooMuch, "aliases do not multiply without end");
  Require(json::Parse(value->Dump()).ok(), "a document is no deeper than what can be read");
}

}  // namespace kinformer::fuzz
