#include "cli/end_of_input.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace kinformer::cli {
namespace {

// Returns once `input` is at its end or cannot be read, or once `leaving` can be read.
void ReadUntilEnd(int input, int leaving) {
  std::array<pollfd, 2> waited = {{{.fd = input, .events = POLLIN, .revents = 0},
                                   {.fd = leaving, .events = POLLIN, .revents = 0}}};
  std::array<char, 4096> discarded{};
  while (true) {
    if (::poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return;
    if (waited[1].revents != 0) return;
    if (waited[0].revents == 0) continue;
    const ssize_t count = ::read(input, discarded.data(), discarded.size());
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return;
  }
}

}  // namespace

StopAtEndOfInput::StopAtEndOfInput(int input, StopSource stop)
    : leaving_(::eventfd(0, EFD_CLOEXEC)),
      reader_([input, leaving = leaving_, stop = std::move(stop)]() mutable {
        ReadUntilEnd(input, leaving);
        stop.RequestStop();
      }) {}

StopAtEndOfInput::~StopAtEndOfInput() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(leaving_, &one, sizeof one);
  reader_.join();
  ::close(leaving_);
}

}  // namespace kinformer::cli
