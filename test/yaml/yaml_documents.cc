// Prints what our reader reads from files, in the format of kubectl_reader/main.go. Standard input
// has the file names, one per line; with --one files are read like a body and a kubeconfig,
// otherwise like kubectl reads a file.

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

namespace kinformer {
namespace {

void Print(const Result<std::vector<json::Value>>& documents) {
  if (!documents) {
    std::cout << "error: " << documents.error().message() << '\n';
    return;
  }
  for (const json::Value& document : *documents) {
    std::cout << document.Dump({.sort_keys = true, .escape_html = false}) << '\n';
  }
}

Result<std::vector<json::Value>> ReadOne(std::string_view text) {
  Result<json::Value> value = yaml::Parse(text);
  if (!value) return std::move(value).error();
  if (value->is_null()) return std::vector<json::Value>();
  return std::vector<json::Value>{*std::move(value)};
}

}  // namespace
}  // namespace kinformer

int main(int argc, char** argv) {
  const bool one = argc > 1 && std::string_view(argv[1]) == "--one";
  std::string name;
  while (std::getline(std::cin, name)) {
    std::ostringstream text;
    text << std::ifstream(name, std::ios::binary).rdbuf();
    std::cout << '@' << name << '\n';
    kinformer::Print(one ? kinformer::ReadOne(text.str()) : kinformer::yaml::ParseAll(text.str()));
  }
}
