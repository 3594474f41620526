#include "base/text/host_name.h"

#include <limits.h>
#include <unistd.h>

namespace kinformer::internal::base {

std::string HostName() {
  char host[HOST_NAME_MAX + 1] = {};
  return gethostname(host, sizeof(host) - 1) == 0 ? std::string(host) : std::string();
}

}  // namespace kinformer::internal::base
