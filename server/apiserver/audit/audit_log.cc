#include "kinformer/apiserver/audit_log.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace kinformer::apiserver {
namespace {

constexpr int kNoFile = -1;

// Writes all of the text. Returns false if the file does not take it.
bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

struct AuditLog::Impl {
  explicit Impl(int opened) : file(opened) {}
  ~Impl() {
    if (file > STDERR_FILENO) ::close(file);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const int file;
  std::mutex mutex;
  std::vector<std::string> lines;
  std::string line;  // with its end
  std::atomic<std::uint64_t> lost{0};
};

AuditLog::AuditLog() : AuditLog(kNoFile) {}
AuditLog::AuditLog(int file) : impl_(std::make_unique<Impl>(file)) {}
AuditLog::~AuditLog() = default;

Result<std::shared_ptr<AuditLog>> AuditLog::Open(const std::string& path) {
  int file = STDOUT_FILENO;
  if (path != "-") {
    file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) {
      return Error(Reason::kConfig,
                   path + " cannot be written: " + std::generic_category().message(errno) +
                       "; is its folder there, and writable?");
    }
  }
  return std::shared_ptr<AuditLog>(new AuditLog(file));
}

void AuditLog::Write(std::string_view event) {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  if (impl_->file == kNoFile) {
    impl_->lines.emplace_back(event);
    return;
  }
  // One write for a line, so that those of two servers do not mix.
  impl_->line.assign(event).push_back('\n');
  if (!WriteAll(impl_->file, impl_->line)) ++impl_->lost;
}

std::vector<std::string> AuditLog::TakeLines() {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  return std::exchange(impl_->lines, {});
}

std::uint64_t AuditLog::lost() const { return impl_->lost; }

}  // namespace kinformer::apiserver
