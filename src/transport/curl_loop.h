// transport/curl_loop.h
//
// CurlLoop: tells libcurl's multi handles which of their sockets are ready, on the Env's loop.
//
// All sockets sit in one epoll set of our own, and Asio watches that single descriptor: libcurl
// opens and closes sockets as it likes and reuses their numbers, and nothing has to be taken out of
// Asio in time.

#ifndef KINFORMER_TRANSPORT_CURL_LOOP_H_
#define KINFORMER_TRANSPORT_CURL_LOOP_H_

#include <memory>

#include "kinformer/env.h"
#include "kinformer/result.h"

namespace kinformer::internal::transport {

// Loop-confined. Destruction closes the set; nobody is called afterwards.
class CurlLoop {
 public:
  // Whoever owns sockets. Must call Forget before it goes.
  class Listener {
   public:
    virtual ~Listener() = default;
    // `flags`: CURL_CSELECT_*.
    virtual void OnSocket(int fd, int flags) = 0;
  };

  static Result<std::unique_ptr<CurlLoop>> New(Env& env);
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  // `what`: CURL_POLL_*, from CURLMOPT_SOCKETFUNCTION.
  void Watch(int fd, int what, Listener& listener);
  void Forget(int fd);
  void Forget(const Listener& listener);

 private:
  struct State;
  explicit CurlLoop(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CURL_LOOP_H_
