// base/text/host_name.h

#ifndef KINFORMER_BASE_TEXT_HOST_NAME_H_
#define KINFORMER_BASE_TEXT_HOST_NAME_H_

#include <string>

namespace kinformer::internal::base {

// Returns the name of this machine or pod, or empty if it has none.
std::string HostName();

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_HOST_NAME_H_
