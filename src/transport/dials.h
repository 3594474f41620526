// transport/dials.h
//
// Dials: calls of HttpTransportOptions::dial, off the loop. Dialed: a connection that one has
// returned.

#ifndef KINFORMER_TRANSPORT_DIALS_H_
#define KINFORMER_TRANSPORT_DIALS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <curl/curl.h>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/dialer.h"

#include "base/loop/own_job.h"
#include "transport/endpoint.h"

namespace kinformer::internal::transport {

// Owns a descriptor, or none.
class Dialed {
 public:
  Dialed() = default;
  explicit Dialed(int fd) : fd_(fd) {}
  Dialed(Dialed&& other) noexcept : fd_(other.Take()) {}
  Dialed& operator=(Dialed&& other) noexcept {
    Close();
    fd_ = other.Take();
    return *this;
  }
  ~Dialed() { Close(); }
  void Close();
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  // Returns false if the peer has closed it, or has sent something without being asked.
  [[nodiscard]] bool IsOpen() const;
  // Takes the place of `placeholder`, which is closed; both are one descriptor then.
  void Replace(int placeholder);
  // Hands the descriptor over; -1: none.
  int Take() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// Returns a socket whose connect(2) neither ends nor reaches anybody, and changes `address` to one
// for that; -1: there is none. libcurl 7.88 connects a socket even if it is told that it is
// connected already. So it gets this one, and the connection takes its place once libcurl waits.
int NewPlaceholder(curl_sockaddr& address);

// Where a connection is opened to: the proxy, or else the server.
struct FirstHop {
  std::string host{};
  std::string port{};
  bool is_address{false};
};
[[nodiscard]] FirstHop FirstHopOf(const Endpoint& endpoint, const std::string& proxy);

// Loop-confined.
class Dials {
 public:
  using Done = std::function<void(Result<Dialed>)>;
  // A call. Destroying it gives the call up.
  class Ticket {
   public:
    explicit Ticket(Done done) : done_(std::move(done)) {}

   private:
    friend class Dials;
    Done done_;
    base::OwnJob job_;
  };

  Dials(Env& env, DialFunc dial, FirstHop to);

  // Calls `done` on the loop, later, if the ticket still exists. `self`: this.
  static std::shared_ptr<Ticket> Start(const std::shared_ptr<Dials>& self, Done done);
  [[nodiscard]] const FirstHop& to() const { return to_; }

 private:
  static void StartNext(const std::shared_ptr<Dials>& self);

  Env& env_;
  const std::shared_ptr<const DialFunc> dial_;
  const FirstHop to_;
  const std::shared_ptr<std::atomic<std::size_t>> running_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::deque<std::weak_ptr<Ticket>> waiting_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_DIALS_H_
