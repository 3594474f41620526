// transport/openers.h
//
// Openers: handles connections that are not established in time.
//
// The first exchange of a lane connects, and the others of the lane wait for it. If that takes more
// than two seconds, the waiting ones move to other lanes, and an opener (a probe on a lane of its
// own) tries in parallel; all waiting exchanges of the pool, including the first, use the
// connection that is established first. There is one opener at a time, and a new one every three
// seconds: a hanging attempt may hang for long, while a new attempt often succeeds at once.

#ifndef KINFORMER_TRANSPORT_OPENERS_H_
#define KINFORMER_TRANSPORT_OPENERS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"

#include "transport/curl_lane.h"
#include "transport/curl_transfer.h"
#include "transport/tls_material.h"

namespace kinformer::internal::transport {

// Loop-confined. Owns nothing: openers belong to their lanes.
class Openers {
 public:
  // Functions of the transport that this class uses.
  class Owner {
   public:
    virtual ~Owner() = default;
    [[nodiscard]] virtual const std::vector<std::unique_ptr<CurlLane>>& lanes() const = 0;
    [[nodiscard]] virtual const std::shared_ptr<const TlsMaterial>& tls() const = 0;
    virtual CurlLane& NewLane(ConnectionPool pool) = 0;
    // Whether new exchanges of the lane's pool may share its connection.
    [[nodiscard]] virtual bool HasRoom(const CurlLane& lane) const = 0;
    // Moves exchanges that were not sent yet to the lanes that new ones of the pool would use.
    virtual void Move(CurlLane& lane, const CurlLane::List& waiting) = 0;
  };

  Openers(std::shared_ptr<CurlShared> shared, Owner& owner);

  // Whether the lane has been without a connection for too long to wait for it.
  [[nodiscard]] bool TriesTooLong(const CurlLane& lane) const;
  // Moves exchanges, retires lanes, starts openers as needed. The lane stays; others may be added.
  void Check(CurlLane& lane);
  // Returns the latest time for the next Check.
  [[nodiscard]] SteadyTime NextLook(const CurlLane& lane) const;
  // Ends the lane's opener, if there is one.
  static void End(CurlLane& lane);

 private:
  // Ignores the answer of an opener: the lane notices before it whether it has a connection.
  class Deaf final : public ResponseReceiver {
   public:
    void OnHeaders(int, const HttpHeaders&) override {}
    void OnData(std::string_view) override {}
    void OnDone(Result<void>) override {}
  };

  [[nodiscard]] bool HasConnection(ConnectionPool pool) const;
  // Whether a recent attempt makes another one unnecessary.
  [[nodiscard]] bool HasFreshTry(ConnectionPool pool) const;
  void Open(ConnectionPool pool, const std::string& authorization);

  const std::shared_ptr<CurlShared> shared_;
  Owner& owner_;
  Deaf deaf_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_OPENERS_H_
