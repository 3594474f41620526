#include "config/file_change.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace kinformer::internal::config {

namespace {

// The folder's mode is what mkdir gives, less the umask: as client-go's 0755.
constexpr mode_t kPrivate = 0600;
constexpr mode_t kModeBits = 07777;

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

int WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return fsync(fd) == 0 ? 0 : errno;
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
  struct stat before{};
  const bool existed = stat(real.c_str(), &before) == 0;
  const std::string anew = real + ".new";
  unlink(anew.c_str());  // of a program that did not finish
  const int fd = open(anew.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivate);
  if (fd < 0) return Failed("cannot create", anew, errno);
  int code = 0;
  if (existed) {
    // Only root may give a file away; for others it is theirs already, or becomes theirs.
    (void)!fchown(fd, before.st_uid, before.st_gid);
    if (fchmod(fd, before.st_mode & kModeBits) != 0) code = errno;
  }
  if (code == 0) code = WriteAll(fd, text);
  close(fd);
  if (code == 0 && std::rename(anew.c_str(), real.c_str()) != 0) code = errno;
  if (code == 0) return {};
  unlink(anew.c_str());
  return Failed("cannot write", real, code);
}

}  // namespace kinformer::internal::config
