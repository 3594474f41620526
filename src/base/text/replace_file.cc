#include "base/text/replace_file.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace kinformer::internal::base {
namespace {

constexpr mode_t kModeBits = 07777;

Error Failed(const char* what, const std::string& path, int code) {
  return Error(Reason::kConfig,
               std::string(what) + " " + path + ": " + std::generic_category().message(code));
}

// Opens a new file, whose name goes to `draft`.
int OpenDraft(const std::string& path, bool many_writers, std::string& draft) {
  if (many_writers) {
    draft = path + ".XXXXXX";
    return mkostemp(draft.data(), O_CLOEXEC);
  }
  draft = path + ".new";
  unlink(draft.c_str());  // of a program that did not finish
  return open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

// Each of these returns 0, or an errno.

int WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

int SetMode(int fd, const std::string& path, const ReplaceFileOptions& options) {
  mode_t mode = options.mode;
  struct stat before{};
  if (options.keeps_mode && stat(path.c_str(), &before) == 0) {
    // Only root may give a file away; for others it is theirs already, or becomes theirs.
    (void)!fchown(fd, before.st_uid, before.st_gid);
    mode = before.st_mode & kModeBits;
  }
  return fchmod(fd, mode) == 0 ? 0 : errno;
}

int SetTime(int fd, const std::optional<WallTime>& modified) {
  if (!modified) return 0;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*modified);
  const timespec time{static_cast<time_t>(seconds.time_since_epoch().count()),
                      static_cast<long>((*modified - seconds).count())};
  const std::array<timespec, 2> times{time, time};
  return futimens(fd, times.data()) == 0 ? 0 : errno;
}

}  // namespace

Result<void> ReplaceFile(const std::string& path, std::string_view text,
                         const ReplaceFileOptions& options) {
  std::string draft;
  const int fd = OpenDraft(path, options.many_writers, draft);
  if (fd < 0) return Failed("cannot create", draft, errno);
  int code = SetMode(fd, path, options);
  if (code == 0) code = WriteAll(fd, text);
  if (code == 0) code = SetTime(fd, options.modified);
  if (code == 0 && options.durable && fsync(fd) != 0) code = errno;
  if (close(fd) != 0 && code == 0) code = errno;
  std::optional<Error> why;
  if (code != 0) {
    why = Failed("cannot write", draft, code);
  } else if (std::rename(draft.c_str(), path.c_str()) != 0) {
    why = Failed("cannot replace", path, errno);
  }
  if (!why) return {};
  unlink(draft.c_str());
  return *std::move(why);
}

}  // namespace kinformer::internal::base
