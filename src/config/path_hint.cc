#include "config/path_hint.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace kinformer::internal::config {
namespace {

bool BeginsWithHome(std::string_view path) { return path == "~" || path.starts_with("~/"); }

std::string HomeHint(std::string_view path) {
  return "; the shell left ~ as it is: write $HOME" + std::string(path.substr(1));
}

}  // namespace

std::string PathHint(std::string_view path) {
  if (BeginsWithHome(path)) return HomeHint(path);
  // Relative paths in a kubeconfig were already prefixed with its folder.
  if (path.find("/~/") != std::string_view::npos) {
    return "; ~ is no home directory in a file: write the whole path";
  }
  return {};
}

std::string PathListHint(std::string_view list) {
  for (const std::string& path : SplitPathList(list)) {
    if (BeginsWithHome(path)) return HomeHint(path);
    if (path.find_first_of(",;") != std::string::npos) return "; a colon separates files";
  }
  return {};
}

bool LooksLikePath(const std::string& text) {
  for (const std::string_view start : {"/", "./", "../", "~/"}) {
    if (text.starts_with(start)) return true;
  }
  for (const std::string_view end : {".yaml", ".yml", ".conf", ".kubeconfig"}) {
    if (text.ends_with(end)) return true;
  }
  std::error_code ignored;
  return std::filesystem::is_regular_file(text, ignored);
}

std::vector<std::string> SplitPathList(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const auto colon = list.find(':');
    const std::string path(list.substr(0, colon));
    if (!path.empty() && std::find(out.begin(), out.end(), path) == out.end()) out.push_back(path);
    list.remove_prefix(colon == std::string_view::npos ? list.size() : colon + 1);
  }
  return out;
}

}  // namespace kinformer::internal::config
