#include "config/file_change.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include "base/text/replace_file.h"

namespace kinformer::internal::config {

namespace {

// The folder's mode is what mkdir gives, less the umask: as client-go's 0755.
Error Failed(const std::string& what, const std::string& path, int code) {
  return Error(Reason::kConfig, what + " " + path + ": " + std::generic_category().message(code));
}

Result<void> MakeFolderOf(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return {};
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return Failed("cannot make the folder", folder.string(), code.value());
  return {};
}

// Returns the file that `path` names, behind all links, even if it does not exist yet.
std::string Behind(const std::string& path) {
  std::error_code code;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, code);
  std::filesystem::path out = code ? std::filesystem::path(path) : real;
  // A link to a file that does not exist is left as it is above.
  for (int links = 0; links < 40 && std::filesystem::is_symlink(out, code); ++links) {
    out = out.parent_path() / std::filesystem::read_symlink(out, code);
  }
  return out.string();
}

}  // namespace

Result<FileLock> FileLock::Acquire(const std::string& path) {
  if (Result<void> made = MakeFolderOf(path); !made) return made.error();
  std::string lock = path + ".lock";
  const int fd = open(lock.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
  if (fd < 0 && errno == EEXIST) {
    return Error(Reason::kConfig,
                 path + ": another program changes it: " + lock +
                     " exists; try again, or remove that file if no such program runs");
  }
  if (fd < 0) return Failed("cannot create", lock, errno);
  close(fd);
  return FileLock(std::move(lock));
}

FileLock::~FileLock() {
  if (!lock_.empty()) unlink(lock_.c_str());
}

Result<void> ReplaceFile(const std::string& path, const std::string& text) {
  const std::string real = Behind(path);
  if (Result<void> made = MakeFolderOf(real); !made) return made;
  return base::ReplaceFile(real, text, {.keeps_mode = true});
}

}  // namespace kinformer::internal::config
