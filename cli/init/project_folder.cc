#include "cli/init/project_folder.h"

#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include "cli/printable.h"

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;

Error CannotWrite(const fs::path& path, const std::string& why) {
  return {Reason::kConfig, "cannot write " + path.string() + ": " + why};
}

Result<void> WriteFile(const fs::path& path, const ProjectFile& file) {
  std::error_code error;
  if (fs::create_directories(path.parent_path(), error); error) {
    return CannotWrite(path, error.message());
  }
  std::ofstream out(path, std::ios::binary);
  out << file.text;
  if (!out.flush()) return CannotWrite(path, "is the folder writable?");
  if (!file.executable) return {};
  fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  if (error) return CannotWrite(path, error.message());
  return {};
}

}  // namespace

Result<void> CheckEmpty(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  if (!fs::is_directory(folder, error)) {
    return Error(Reason::kConfig, folder.string() + " is no folder");
  }
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    return Error(Reason::kConfig, folder.string() + " is not empty: it has " + name +
                                      "; name a new folder, or give --force, which changes no "
                                      "file that is there");
  }
  if (error) return Error(Reason::kConfig, folder.string() + ": " + error.message());
  return {};
}

Result<void> WriteFiles(const fs::path& folder, const std::vector<ProjectFile>& files) {
  for (const ProjectFile& file : files) {
    fs::path path = folder / file.path;
    std::error_code ignored;
    const bool there = fs::exists(fs::symlink_status(path, ignored));
    if (there) {
      const Result<std::string> text = ReadText(path);
      if (text && *text == file.text) continue;
      path += ".new";
    }
    if (Result<void> written = WriteFile(path, file); !written) return written;
    std::cout << Printable(path.string())
              << (there ? ": beside the file that is there, which differs" : "") << '\n';
  }
  return {};
}

Result<std::string> ReadText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Error(Reason::kConfig, path.string() + " cannot be read");
  return text.str();
}

}  // namespace kinformer::cli
