// cli/listening_addresses.h
//
// The addresses at which a process of this machine listens.

#ifndef KINFORMER_CLI_LISTENING_ADDRESSES_H_
#define KINFORMER_CLI_LISTENING_ADDRESSES_H_

#include <string>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::cli {

// Returns "127.0.0.1:8080", "[::1]:9443", in the order of the ports; for those that take any
// address, the loopback one. `proc`: where the kernel tells of processes. kConfig: there is no such
// process, or this user may not look into it.
Result<std::vector<std::string>> ListeningAddresses(const std::string& pid,
                                                    const std::string& proc = "/proc");

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_LISTENING_ADDRESSES_H_
