#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "kinformer/base/result.h"

#include "cli/commands.h"
#include "cli/printable.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;

Error Failed(const fs::path& path, std::string_view why) {
  return {Reason::kConfig, path.string() + ": " + std::string(why)};
}

// Makes `link` point to `target`, also if it is a link to something else.
Result<void> Link(const fs::path& target, const fs::path& link) {
  std::error_code failure;
  const fs::file_status there = fs::symlink_status(link, failure);
  if (fs::is_symlink(there)) {
    if (fs::read_symlink(link, failure) == target) return {};
    if (!fs::remove(link, failure)) return Failed(link, failure.message());
  } else if (fs::exists(there)) {
    return Failed(link,
                  "is there already, and no link: take another folder, or take the file away");
  }
  fs::create_symlink(target, link, failure);
  if (failure) return Failed(link, failure.message());
  return {};
}

// Returns the kubectl on PATH, except that in `folder`; empty if there is none.
fs::path FindKubectl(const fs::path& folder) {
  const char* const given = std::getenv("PATH");
  std::string_view path = given == nullptr ? "" : given;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (part.empty()) continue;
    std::error_code failure;
    const fs::path found = fs::absolute(fs::path(part), failure) / "kubectl";
    if (!fs::is_regular_file(found, failure)) continue;
    if (!fs::equivalent(found.parent_path(), folder, failure)) return found;
  }
  return {};
}

std::string Quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:@%,";
  if (text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

int RunEnvtest(const std::string& given) {
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  if (failure) return Fail(Failed("/proc/self/exe", failure.message()));
  fs::create_directories(given, failure);
  if (failure) return Fail(Failed(given, failure.message()));
  const fs::path folder = fs::canonical(given, failure);
  if (failure) return Fail(Failed(given, failure.message()));
  for (const char* const name : {"kube-apiserver", "etcd"}) {
    if (Result<void> linked = Link(self, folder / name); !linked) return Fail(linked.error());
  }
  const fs::path kubectl = FindKubectl(folder);
  if (kubectl.empty()) {
    std::cerr << "warning: there is no kubectl on PATH, and so none in the folder\n";
  } else if (Result<void> linked = Link(kubectl, folder / "kubectl"); !linked) {
    return Fail(linked.error());
  }
  std::cout << "export KUBEBUILDER_ASSETS=" << Quoted(folder.string()) << '\n';
  return 0;
}

}  // namespace

void RegisterEnvtest(CommandLine& line) {
  auto folder = std::make_shared<std::string>();
  Command& command = line.Add(
      "envtest",
      "Make a folder for KUBEBUILDER_ASSETS, so that suites for envtest run on `apiserver`");
  command.Positional("DIR", *folder, /*required=*/true,
                     "folder for kube-apiserver, etcd and kubectl, which are links; it is made if "
                     "it is not there");
  command.Run([folder] { return RunEnvtest(*folder); });
}

}  // namespace kinformer::cli
