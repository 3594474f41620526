#include "cli/init/add_kind.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text/replace_file.h"
#include "cli/init/kind_lines.h"
#include "cli/init/project_files.h"
#include "cli/init/project_folder.h"
#include "cli/printable.h"

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;

// The shared files as they become.
struct Changes {
  std::map<std::string, std::string> texts{};  // by path
  std::vector<KindLines> without_place{};
};

Changes ChangesOf(const fs::path& folder, const ProjectNames& names) {
  Changes out;
  for (KindLines& lines : LinesOfKind(names)) {
    const auto changed = out.texts.find(lines.path);
    const Result<std::string> text = changed == out.texts.end()
                                         ? ReadText(folder / lines.path)
                                         : Result<std::string>(changed->second);
    std::optional<std::string> with = text ? WithLines(*text, lines) : std::nullopt;
    if (!with) {
      out.without_place.push_back(std::move(lines));
    } else if (*with != *text) {
      out.texts[lines.path] = *std::move(with);
    }
  }
  return out;
}

Result<void> CheckNew(const fs::path& folder, const std::vector<ProjectFile>& files) {
  for (const ProjectFile& file : files) {
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(folder / file.path, ignored))) continue;
    return Error(Reason::kConfig, (folder / file.path).string() +
                                      " is there already: does the project have this kind? "
                                      "--force adds what is missing, and keeps what is there");
  }
  return {};
}

}  // namespace

Result<void> AddKind(const ProjectNames& names, const WantedNames& wanted, bool force) {
  const fs::path folder = wanted.folder;
  const std::vector<ProjectFile> files = FilesOfKind(names);
  if (!force) {
    if (Result<void> checked = CheckNew(folder, files); !checked) return checked;
  }
  const Changes changes = ChangesOf(folder, names);
  if (Result<void> written = WriteFiles(folder, files); !written) return written;
  for (const auto& [path, text] : changes.texts) {
    std::error_code ignored;
    const fs::path file = fs::weakly_canonical(folder / path, ignored);
    if (Result<void> written = internal::base::ReplaceFile(
            file.string(), text, {.keeps_mode = true, .many_writers = true});
        !written) {
      return written;
    }
    std::cout << Printable((folder / path).string()) << ": has lines of " << names.kind << '\n';
  }
  if (changes.without_place.empty()) return {};
  for (const KindLines& lines : changes.without_place) {
    std::cout << '\n'
              << Printable((folder / lines.path).string())
              << ": put in by hand, beside those of another kind:\n";
    for (const std::string& line : lines.lines) std::cout << line << '\n';
  }
  std::cout.flush();
  return Error(Reason::kConfig,
               "the lines above have to be put in by hand, as no line of another kind in these "
               "files has their form; the rest is done");
}

}  // namespace kinformer::cli
