// transport/curl_loop.h
//
// CurlLoop: notifies libcurl's multi handles of ready sockets, on the Env's loop.
//
// All sockets are in one epoll set of this class, and Asio watches only its descriptor: libcurl
// opens and closes sockets at any time and reuses their numbers, and this way none has to be
// removed from Asio in time.

#ifndef KINFORMER_TRANSPORT_CURL_LOOP_H_
#define KINFORMER_TRANSPORT_CURL_LOOP_H_

#include <memory>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

namespace kinformer::internal::transport {

// Loop-confined. The destructor closes the set; no listener is called after it.
class CurlLoop {
 public:
  // Owner of sockets. Must call Forget before its destruction.
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

  // `what`: CURL_POLL_*, from CURLMOPT_SOCKETFUNCTION. Returns false if `fd` was watched and is
  // closed already: libcurl 7.88 closes the sockets of a connection attempt that it gives up
  // without CURLOPT_CLOSESOCKETFUNCTION, and says CURL_POLL_REMOVE afterwards.
  bool Watch(int fd, int what, Listener& listener);
  // Returns the same as Watch with CURL_POLL_REMOVE.
  bool Forget(int fd);
  void Forget(const Listener& listener);

 private:
  struct State;
  explicit CurlLoop(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CURL_LOOP_H_
