// cli/listening_ports.h
//
// The addresses on which another process of this machine listens.

#ifndef KINFORMER_CLI_LISTENING_PORTS_H_
#define KINFORMER_CLI_LISTENING_PORTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::cli {

// Returns where a client of this machine reaches the process: "127.0.0.1:8080", "[::1]:9090"; one
// that listens on all interfaces is reached at 127.0.0.1. By port, each once. `proc`: folder of the
// kernel's files. kNotFound: there is no such process, or it listens nowhere. kForbidden: its
// sockets cannot be read, or it has another network than this process.
Result<std::vector<std::string>> ListeningAddressesOf(std::int64_t pid,
                                                      const std::string& proc = "/proc");

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_LISTENING_PORTS_H_
