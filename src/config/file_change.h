// config/file_change.h
//
// Changes of files that several programs write.

#ifndef KINFORMER_CONFIG_FILE_CHANGE_H_
#define KINFORMER_CONFIG_FILE_CHANGE_H_

#include <string>
#include <utility>

#include "kinformer/base/result.h"

namespace kinformer::internal::config {

// Holds `<file>.lock`, as kubectl does; the destructor removes it.
class FileLock {
 public:
  // Makes the folder of `path` if it is missing. kConfig at once if the lock exists.
  static Result<FileLock> Acquire(const std::string& path);
  FileLock(FileLock&& other) noexcept : lock_(std::exchange(other.lock_, {})) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(lock_, other.lock_);
    return *this;
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(std::string lock) : lock_(std::move(lock)) {}
  std::string lock_;  // empty: none
};

// Replaces the file in one step: a reader sees the old or the new text, and a failure leaves the
// old one. Follows links. Keeps the file's mode and, where allowed, its owner; a new file is for
// its owner alone. REQUIRES: the caller holds the file's lock.
Result<void> ReplaceFile(const std::string& path, const std::string& text);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_FILE_CHANGE_H_
