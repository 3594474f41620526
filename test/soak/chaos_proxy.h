// soak/chaos_proxy.h
//
// ChaosProxy: a TCP proxy between clients and a server on this machine, which imitates bad
// networks: it refuses, cuts, stalls and slows down connections.

#ifndef KINFORMER_TEST_SOAK_CHAOS_PROXY_H_
#define KINFORMER_TEST_SOAK_CHAOS_PROXY_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace kinformer::testing {

struct ChaosProxyOptions {
  std::uint16_t server_port = 0;
  std::uint64_t seed = 1;
  // One stall in 40 lasts this long, like a dead connection. The others end within five seconds, or
  // within this time if it is shorter.
  std::chrono::milliseconds longest_stall{90'000};
};

struct ChaosProxyCounts {
  std::uint64_t connections = 0;
  std::uint64_t refused = 0;
  std::uint64_t cut =
      0;  // half of them by a reset, half by an orderly close in the middle of their data
  std::uint64_t stalled = 0;
  std::uint64_t dripped = 0;
  std::uint64_t bytes = 0;
};

// Has its own thread. While it is rough, each connection gets one trouble after the other, at times
// and of kinds determined by the seed; the bytes they hit depend on the machine. A trouble that has
// begun continues when it stops being rough. Thread-safe.
class ChaosProxy {
 public:
  explicit ChaosProxy(const ChaosProxyOptions& options);
  ~ChaosProxy();
  ChaosProxy(const ChaosProxy&) = delete;
  ChaosProxy& operator=(const ChaosProxy&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  void SetRough(bool rough);
  [[nodiscard]] ChaosProxyCounts Counts() const;
  // Descriptors of its current connections: two for each.
  [[nodiscard]] std::size_t descriptors() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SOAK_CHAOS_PROXY_H_
