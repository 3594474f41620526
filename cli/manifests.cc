#include "cli/manifests.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "kinformer/json/yaml.h"

namespace kinformer::cli {
namespace {

struct Text {
  std::string name{};
  std::string text{};
};

Error Unreadable(const std::string& path) {
  if (path.starts_with("~/")) {
    return {Reason::kConfig, "--load " + path +
                                 ": cannot be read; the shell left ~ as it is: write $HOME" +
                                 path.substr(1)};
  }
  return {Reason::kConfig,
          "--load " + path + ": cannot be read; is it there, and a file or folder?"};
}

Result<Text> ReadText(const std::string& path, std::istream& input) {
  std::ostringstream text;
  if (path == "-") {
    text << input.rdbuf();
    return Text{.name = "standard input", .text = std::move(text).str()};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(text << file.rdbuf()))) {
    return Unreadable(path);
  }
  return Text{.name = path, .text = std::move(text).str()};
}

// Returns the files of a path.
Result<std::vector<std::string>> FilesOf(const std::string& path) {
  std::error_code failure;
  if (path == "-" || !std::filesystem::is_directory(path, failure)) return std::vector{path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, failure)) {
    const std::string end = entry.path().extension().string();
    if (end == ".yaml" || end == ".yml" || end == ".json") files.push_back(entry.path().string());
  }
  if (failure) return Unreadable(path);
  if (files.empty()) {
    return Error(Reason::kConfig, "--load " + path + ": the folder has no .yaml, .yml or .json");
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Returns the error for a text that is not YAML, with the most common reason.
Error OfText(const Error& error, std::string_view text) {
  if (text.find("{{") == std::string_view::npos) return error;
  return {error.reason(), error.message() +
                              "; {{ }} belongs to a template: render it first, as `helm template` "
                              "does"};
}

void Add(const std::string& place, json::Value object, std::vector<Manifest>& out) {
  const json::Value& given = object;
  if (given["kind"].StringOrEmpty().ends_with("List") && given["items"].is_array()) {
    for (const json::Value& item : given["items"].items()) Add(place, item, out);
    return;
  }
  out.push_back({.place = place, .object = std::move(object)});
}

int Rank(const Manifest& manifest) {
  const std::string& kind = manifest.object["kind"].StringOrEmpty();
  if (kind == "CustomResourceDefinition") return 0;
  return kind == "Namespace" ? 1 : 2;
}

}  // namespace

Result<std::vector<Manifest>> ReadManifests(const std::vector<std::string>& paths,
                                            std::istream& input,
                                            std::vector<std::string>& warnings) {
  std::vector<Manifest> all;
  for (const std::string& path : paths) {
    const auto files = FilesOf(path);
    if (!files) return files.error();
    for (const std::string& file : *files) {
      const auto read = ReadText(file, input);
      if (!read) return read.error();
      std::vector<std::string> repeated;
      auto documents = yaml::ParseDocuments(read->text, read->name, &repeated);
      if (!documents) return OfText(documents.error(), read->text);
      for (const std::string& key : repeated) {
        warnings.push_back(read->name + ": " + key + "; its last value counts");
      }
      for (yaml::Document& document : *documents) {
        Add(read->name + ":" + std::to_string(document.line), std::move(document.value), all);
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Manifest& a, const Manifest& b) { return Rank(a) < Rank(b); });
  return all;
}

}  // namespace kinformer::cli
