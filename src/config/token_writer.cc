#include "config/token_writer.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "config/kubeconfig.h"

namespace kinformer::internal::config {

namespace {

Error Failed(const std::string& path, const std::string& what) {
  return Error(Reason::kConfig, path + ": " + what);
}
Error FailedBySystem(const std::string& path, const std::string& what) {
  return Failed(path, what + ": " + std::generic_category().message(errno));
}

// kubectl's lock of a kubeconfig, while it lives.
class FileLock {
 public:
  explicit FileLock(std::string path) : path_(std::move(path)) {
    fd_ = open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  }
  ~FileLock() {
    if (fd_ < 0) return;
    close(fd_);
    unlink(path_.c_str());
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  [[nodiscard]] bool held() const { return fd_ >= 0; }

 private:
  const std::string path_;
  int fd_ = -1;
};

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return fsync(fd) == 0;
}

// A reader sees the old text or the new one.
Result<void> Replace(const std::string& path, const std::string& text) {
  struct stat old{};
  if (stat(path.c_str(), &old) != 0) return FailedBySystem(path, "cannot be written");
  std::string next = path + ".XXXXXX";
  const int fd = mkostemp(next.data(), O_CLOEXEC);
  if (fd < 0) return FailedBySystem(path, "cannot be written");
  const bool written = fchmod(fd, old.st_mode & 07777) == 0 && WriteAll(fd, text);
  const int why = errno;
  close(fd);
  errno = why;
  if (written && rename(next.c_str(), path.c_str()) == 0) return {};
  Error error = FailedBySystem(path, "cannot be written");
  unlink(next.c_str());
  return error;
}

// Returns the settings of the user's auth-provider; null if there are none.
json::Value* ProviderOf(json::Value& root, const std::string& user) {
  const json::Value* const users = root.Find("users");
  if (users == nullptr || !users->is_array()) return nullptr;
  std::size_t index = 0;
  for (const json::Value& each : users->items()) {
    if (each.is_object() && each.At("/name").StringOrEmpty() == user) {
      return root.FindPointer("/users/" + std::to_string(index) + "/user/auth-provider/config");
    }
    ++index;
  }
  return nullptr;
}

}  // namespace

Result<void> WriteTokens(const std::string& kubeconfig, const std::string& user,
                         const ChangedKeys& changed) {
  std::error_code none;
  // The file behind a link is replaced, not the link.
  const std::string path = std::filesystem::canonical(kubeconfig, none).string();
  if (none) return Failed(kubeconfig, "cannot be written: " + none.message());
  const FileLock lock(path + ".lock");
  if (!lock.held()) {
    return FailedBySystem(path,
                          "cannot be locked, another program may be changing it; if none is, "
                          "remove " +
                              path + ".lock");
  }
  const auto text = ReadConfigFile(path, "kubeconfig");
  if (!text) return text.error();
  auto root = yaml::Parse(*text);
  if (!root) return Failed(path, "is not a kubeconfig any more");
  json::Value* const provider = ProviderOf(*root, user);
  if (provider == nullptr || !provider->is_object()) {
    return Failed(path, "the user \"" + user + "\" has no auth-provider any more");
  }
  for (const auto& [key, value] : changed) provider->Set(key, value);
  return Replace(path, yaml::Dump(*root));
}

}  // namespace kinformer::internal::config
