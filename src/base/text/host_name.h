// base/text/host_name.h

#ifndef KINFORMER_BASE_TEXT_HOST_NAME_H_
#define KINFORMER_BASE_TEXT_HOST_NAME_H_

#include <string>

namespace kinformer::internal::base {

// What this machine, or pod, calls itself. Empty: nothing.
std::string HostName();

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_HOST_NAME_H_
