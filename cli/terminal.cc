#include "cli/terminal.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace kinformer::cli {
namespace {

std::atomic<int> resized_fd{-1};

void Signal(int fd) {
  const std::uint64_t one = 1;
  static_cast<void>(::write(fd, &one, sizeof one));
}

// Only async-signal-safe calls are allowed here.
extern "C" void KinformerOnResize(int /*signal*/) {
  const int saved_errno = errno;
  const int fd = resized_fd.load(std::memory_order_relaxed);
  if (fd >= 0) Signal(fd);
  errno = saved_errno;
}

}  // namespace

bool InputIsTerminal() { return ::isatty(STDIN_FILENO) != 0; }

std::optional<TerminalSize> CurrentTerminalSize() {
  for (const int fd : {STDOUT_FILENO, STDIN_FILENO}) {
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
      return TerminalSize{.width = size.ws_col, .height = size.ws_row};
    }
  }
  return std::nullopt;
}

struct RawTerminal::State {
  termios before{};
};

RawTerminal::RawTerminal() {
  auto state = std::make_unique<State>();
  if (!InputIsTerminal() || ::tcgetattr(STDIN_FILENO, &state->before) != 0) return;
  termios raw = state->before;
  ::cfmakeraw(&raw);
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0) state_ = std::move(state);
}

RawTerminal::~RawTerminal() {
  if (state_ != nullptr) static_cast<void>(::tcsetattr(STDIN_FILENO, TCSANOW, &state_->before));
}

struct TerminalReader::State {
  void Run() {
    if (on_resize) Resized();
    bool reads = on_text != nullptr;
    while (true) {
      std::array<pollfd, 3> ready{
          {{.fd = stopping, .events = POLLIN, .revents = 0},
           {.fd = resized, .events = POLLIN, .revents = 0},
           {.fd = reads ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}}};
      if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return;
      if (ready[0].revents != 0) return;
      if (ready[1].revents != 0) {
        std::uint64_t count = 0;
        static_cast<void>(::read(resized, &count, sizeof count));
        Resized();
      }
      if (ready[2].revents != 0) reads = Read();
    }
  }
  void Resized() const {
    if (const std::optional<TerminalSize> size = CurrentTerminalSize()) on_resize(*size);
  }
  // Returns false if nothing more is to be read.
  bool Read() const {
    std::array<char, 16384> text{};
    const ssize_t size = ::read(STDIN_FILENO, text.data(), text.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (size > 0) return on_text(std::string_view(text.data(), static_cast<std::size_t>(size)));
    if (on_end) on_end();
    return false;
  }

  std::function<bool(std::string_view)> on_text;
  std::function<void()> on_end;
  std::function<void(TerminalSize)> on_resize;
  int stopping = -1;
  int resized = -1;
  struct sigaction before{};
  std::thread thread;
};

TerminalReader::TerminalReader(std::function<bool(std::string_view text)> on_text,
                               std::function<void()> on_end,
                               std::function<void(TerminalSize size)> on_resize)
    : state_(std::make_unique<State>()) {
  state_->on_text = std::move(on_text);
  state_->on_end = std::move(on_end);
  state_->on_resize = std::move(on_resize);
  state_->stopping = ::eventfd(0, EFD_CLOEXEC);
  if (state_->on_resize) {
    state_->resized = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    resized_fd = state_->resized;
    struct sigaction action{};
    action.sa_handler = KinformerOnResize;
    action.sa_flags = SA_RESTART;
    static_cast<void>(::sigaction(SIGWINCH, &action, &state_->before));
  }
  state_->thread = std::thread([state = state_.get()] { state->Run(); });
}

TerminalReader::~TerminalReader() {
  Signal(state_->stopping);
  state_->thread.join();
  if (state_->on_resize) {
    static_cast<void>(::sigaction(SIGWINCH, &state_->before, nullptr));
    resized_fd = -1;
    static_cast<void>(::close(state_->resized));
  }
  static_cast<void>(::close(state_->stopping));
}

}  // namespace kinformer::cli
