#include "cli/saved_files.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <poll.h>
#include <stop_token>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace kinformer::cli {
namespace {

bool IsSavedState(const std::string& path) {
  std::error_code ignored;
  // Reading a pipe would take from it what is needed later.
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 32> start{};
  std::ifstream in(path, std::ios::binary);
  in.read(start.data(), start.size());
  return apiserver::StateSnapshot::IsOne(
      std::string_view(start.data(), static_cast<std::size_t>(in.gcount())));
}

}  // namespace

Result<std::optional<apiserver::StateSnapshot>> TakeSavedState(std::vector<std::string>& paths) {
  std::optional<apiserver::StateSnapshot> state;
  std::vector<std::string> others;
  for (const std::string& path : paths) {
    if (!IsSavedState(path)) {
      others.push_back(path);
      continue;
    }
    if (state) {
      return Error(Reason::kInvalidArgument,
                   "--load " + path + ": is a second saved state; a server begins with one");
    }
    Result<apiserver::StateSnapshot> read = apiserver::StateSnapshot::ReadFile(path);
    if (!read) return Error(read.error().reason(), "--load " + read.error().message());
    state = *std::move(read);
  }
  paths = std::move(others);
  return state;
}

Result<void> CheckCanSave(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  if (std::filesystem::is_directory(file)) {
    return Error(Reason::kConfig, "--save " + path + ": is a folder; name a file in it");
  }
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return Error(Reason::kConfig, "--save " + path + ": cannot be written: folder " + folder + ": " +
                                    std::generic_category().message(errno));
}

SaveRequests::SaveRequests() : signals_(-1), stopping_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  sigset_t signals{};
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signals_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

SaveRequests::~SaveRequests() {
  ::close(signals_);
  ::close(stopping_);
}

bool SaveRequests::Next(const StopSource& stop) {
  const std::stop_callback<std::function<void()>> wake(stop.token(), [this] {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(stopping_, &one, sizeof one);
  });
  std::array<pollfd, 2> waited = {{{.fd = signals_, .events = POLLIN, .revents = 0},
                                   {.fd = stopping_, .events = POLLIN, .revents = 0}}};
  while (!stop.stop_requested()) {
    if (::poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return false;
    signalfd_siginfo signal{};
    if (::read(signals_, &signal, sizeof signal) == sizeof signal) return true;
  }
  return false;
}

}  // namespace kinformer::cli
