// controller/debug/local_only.h

#ifndef KINFORMER_CONTROLLER_DEBUG_LOCAL_ONLY_H_
#define KINFORMER_CONTROLLER_DEBUG_LOCAL_ONLY_H_

#include <memory>
#include <string_view>

#include "kinformer/client/transport.h"

namespace kinformer::internal::debug {

// Returns a filter that lets pass only requests of this machine: they come by the loopback
// interface, no header says that a proxy has passed them on, and their Host is an IP address or
// localhost. The last rule is for browsers: a page of a stranger may give its own name the address
// 127.0.0.1, and would then be able to read what answers there. Others get 403, with what to do.
std::shared_ptr<Handler> OnlyThisMachine(std::shared_ptr<Handler> inner);

// Returns whether a Host, with or without a port, is an IP address or localhost.
bool IsLocalHostName(std::string_view host);

}  // namespace kinformer::internal::debug

#endif  // KINFORMER_CONTROLLER_DEBUG_LOCAL_ONLY_H_
