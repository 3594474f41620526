// soak/chaos_server.h
//
// The server of chaos, in its own process, so that it can be stopped as a whole: an embedded API
// server over TLS, and a writer.

#ifndef KINFORMER_TEST_SOAK_CHAOS_SERVER_H_
#define KINFORMER_TEST_SOAK_CHAOS_SERVER_H_

#include <cstdint>
#include <string>

namespace kinformer::testing {

struct ChaosServerOptions {
  std::string kubeconfig{};  // where to write it
  bool http2 = true;
  std::size_t objects = 1000;  // ConfigMaps in "default"
  int rate = 2000;             // writes a second
  std::uint32_t seed = 1;
};

// Prints "ready PORT". Then each line of standard input is an order:
//   write   objects are changed, deleted and made again from now on. No answer.
//   rest    no more of that; every object is made anew with as many bytes as ever. The answer is
//           "rests VERSION WRITES MILLISECONDS": that of the last write, and of the writing that
//           has ended their number and how long it took.
// Returns when standard input ends.
int RunChaosServer(const ChaosServerOptions& options);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SOAK_CHAOS_SERVER_H_
