#include "base/core/system_random.h"

#include <cerrno>
#include <sys/random.h>
#include <system_error>

namespace kinformer::internal::base {

std::uint64_t SystemRandom() {
  std::uint64_t bits = 0;
  // So few bytes come whole.
  while (getrandom(&bits, sizeof bits, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return bits;
}

}  // namespace kinformer::internal::base
