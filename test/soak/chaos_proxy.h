// soak/chaos_proxy.h
//
// ChaosProxy: stands between clients and a server on this machine, at the level of TCP, and does to
// their connections what networks do: refuses, cuts, stalls and drips.

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
  // One stall in 40 lasts so long: a connection that is as good as dead. The others end within five
  // seconds, or this if it is less.
  std::chrono::milliseconds longest_stall{90'000};
};

struct ChaosProxyCounts {
  std::uint64_t connections = 0;
  std::uint64_t refused = 0;
  std::uint64_t cut =
      0;  // half by a reset, half by an orderly end in the middle of what they carry
  std::uint64_t stalled = 0;
  std::uint64_t dripped = 0;
  std::uint64_t bytes = 0;
};

// Has a thread of its own. While it is rough, each connection meets one trouble after the other, at
// moments and of kinds that the seed draws; which bytes they hit is up to the machine. What has
// begun takes its course when it stops being rough. Thread-safe.
class ChaosProxy {
 public:
  explicit ChaosProxy(const ChaosProxyOptions& options);
  ~ChaosProxy();
  ChaosProxy(const ChaosProxy&) = delete;
  ChaosProxy& operator=(const ChaosProxy&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  void SetRough(bool rough);
  [[nodiscard]] ChaosProxyCounts Counts() const;
  // Of the connections that it holds now: two each.
  [[nodiscard]] std::size_t descriptors() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SOAK_CHAOS_PROXY_H_
