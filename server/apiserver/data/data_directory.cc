#include "kinformer/apiserver/data_directory.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "apiserver/data/durable_storage.h"
#include "apiserver/data/state_database.h"
#include "apiserver/store/storage.h"

namespace kinformer::apiserver {
namespace {

Error NotUsable(const std::string& path, const std::string& why) {
  return {Reason::kConfig, path + ": " + why};
}

std::string Why(int code) { return std::generic_category().message(code); }

// A lock that ends with the process, however that ends.
class FolderLock {
 public:
  explicit FolderLock(int fd) : fd_(fd) {}
  ~FolderLock() { ::close(fd_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Takes the lock, and writes this process's number into the file for whoever is refused.
  [[nodiscard]] bool Take() const {
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) return false;
    const std::string number = std::to_string(::getpid()) + "\n";
    [[maybe_unused]] const int emptied = ::ftruncate(fd_, 0);
    [[maybe_unused]] const auto written = ::pwrite(fd_, number.data(), number.size(), 0);
    return true;
  }
  // Returns what the holder has written.
  [[nodiscard]] std::string Holder() const {
    std::array<char, 32> text{};
    const auto size = ::pread(fd_, text.data(), text.size(), 0);
    const std::string_view read(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    return std::string(read.substr(0, read.find('\n')));
  }

 private:
  int fd_;
};

Result<void> MakeFolder(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::exists(path, failure)) {
    if (std::filesystem::is_directory(path, failure)) return {};
    return NotUsable(path, "is no folder: name a folder, or one that is to be made");
  }
  std::filesystem::create_directories(path, failure);
  if (failure) return NotUsable(path, "cannot be made: " + failure.message());
  ::chmod(path.c_str(), 0700);
  return {};
}

Result<std::shared_ptr<void>> LockFolder(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  const int fd = ::open((path + "/lock").c_str(), kFlags, 0600);
  if (fd < 0) {
    return NotUsable(
        path, "cannot be written: " + Why(errno) + ": name a folder that this user may write");
  }
  auto lock = std::make_shared<FolderLock>(fd);
  if (lock->Take()) return std::shared_ptr<void>(std::move(lock));
  return NotUsable(
      path, "is in use by process " + lock->Holder() + ": end that server, or name another folder");
}

// Makes the file, so that only this user can read it.
Result<void> MakeFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return NotUsable(path, "cannot be opened: " + Why(errno));
  ::close(fd);
  return {};
}

}  // namespace

Result<std::shared_ptr<Storage>> OpenDataDirectory(Env& env, const std::string& path,
                                                   DataDirectoryOptions options) {
  if (Result<void> made = MakeFolder(path); !made) return made.error();
  Result<std::shared_ptr<void>> lock = LockFolder(path);
  if (!lock) return lock.error();
  const std::string file = path + "/state.db";
  if (Result<void> made = MakeFile(file); !made) return made.error();
  const HistoryBounds bounds{.max_events = options.history_events, .max_age = options.history_age};
  auto database = StateDatabase::Open(file, bounds, options.max_bytes);
  if (!database) return database.error();
  auto kept = (*database)->Load(env.Now());
  if (!kept) return kept.error();
  return std::shared_ptr<Storage>(std::make_shared<DurableStorage>(
      env, *std::move(database), *std::move(kept), *std::move(lock)));
}

}  // namespace kinformer::apiserver
