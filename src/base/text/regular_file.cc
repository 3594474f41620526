#include "base/text/regular_file.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <system_error>
#include <unistd.h>

namespace kinformer::internal::base {
namespace {

struct Descriptor {
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

Error Failed(const std::string& why) { return Error(Reason::kConfig, why); }
Error Failed(int code) { return Failed(std::generic_category().message(code)); }

const char* KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  return "a device";
}

}  // namespace

Result<std::string> ReadRegularFile(const std::string& path, std::size_t max_bytes) {
  if (path.find('\0') != std::string::npos) return Failed("its name has a NUL in it");
  // With O_NONBLOCK, opening a FIFO does not wait for a writer.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (file.fd < 0) return Failed(errno);
  struct stat about{};
  if (::fstat(file.fd, &about) != 0) return Failed(errno);
  // /dev/null is the usual name for an empty file.
  const bool null = S_ISCHR(about.st_mode) && about.st_rdev == makedev(1, 3);
  if (!S_ISREG(about.st_mode) && !null) {
    return Failed("it is " + std::string(KindOf(about.st_mode)) + ", not a regular file");
  }
  std::string text;
  std::array<char, 16384> piece;
  for (;;) {
    const ssize_t got = ::read(file.fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed(errno);
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > max_bytes) {
      return Failed("it is larger than " + std::to_string(max_bytes >> 20) + " MiB");
    }
  }
}

}  // namespace kinformer::internal::base
