// Compares Dump with the YAML that the Go code of Kubernetes writes, byte for byte, for texts that
// are unusual in practice.

#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

namespace kinformer::yaml {
namespace {

TEST(YamlCases, IsWrittenAsInGo) {
  std::ifstream cases(KINFORMER_YAML_CASES);
  std::string line;
  int count = 0;
  while (std::getline(cases, line)) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    const json::Value value = json::Parse(line.substr(0, tab)).OrExit();
    const json::Value want = json::Parse(line.substr(tab + 1)).OrExit();
    const std::string text = Dump(value);
    EXPECT_EQ(text, want.StringOrEmpty()) << line;
    const Result<json::Value> again = Parse(text);
    ASSERT_TRUE(again.ok()) << line << again.error();
    EXPECT_EQ(*again, value) << line;
    ++count;
  }
  EXPECT_GT(count, 250);
}

}  // namespace
}  // namespace kinformer::yaml
