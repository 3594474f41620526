// transport/acceptor_for_test.h
//
// Acceptor: a listening socket on 127.0.0.1 for servers of tests, with a thread for each
// connection.

#ifndef KINFORMER_TRANSPORT_ACCEPTOR_FOR_TEST_H_
#define KINFORMER_TRANSPORT_ACCEPTOR_FOR_TEST_H_

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kinformer::internal::transport {

// Calls `serve` with each socket, on a thread of its own, and closes the socket afterwards. The
// destructor shuts all sockets down and waits for these threads.
class Acceptor {
 public:
  explicit Acceptor(std::function<void(int fd)> serve);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  [[nodiscard]] int port() const { return port_; }
  // Returns how many there have been.
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void Accept();
  void Serve(int fd);

  const std::function<void(int fd)> serve_;
  int port_ = 0;
  int listener_ = -1;
  std::atomic<int> connections_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_ACCEPTOR_FOR_TEST_H_
