// transport/openers.h
//
// Openers: what happens where a connection does not come about in time.
//
// The first exchange of a lane connects, and all others of the lane wait for it. Where that takes
// longer than two seconds those that wait go elsewhere; an opener (a question for a sign of life,
// on a lane of its own) tries beside it; and whoever waits in the pool, the first exchange too,
// goes to whichever connection comes about first. There is one opener at a time, and a new one
// every three seconds: what hangs may hang for long, while who tries anew comes through at once.

#ifndef KINFORMER_TRANSPORT_OPENERS_H_
#define KINFORMER_TRANSPORT_OPENERS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/transport.h"

#include "transport/curl_lane.h"
#include "transport/curl_transfer.h"
#include "transport/tls_material.h"

namespace kinformer::internal::transport {

// Loop-confined. Owns nothing: openers belong to their lanes.
class Openers {
 public:
  // The transport, as far as it is needed here.
  class Owner {
   public:
    virtual ~Owner() = default;
    [[nodiscard]] virtual const std::vector<std::unique_ptr<CurlLane>>& lanes() const = 0;
    [[nodiscard]] virtual const std::shared_ptr<const TlsMaterial>& tls() const = 0;
    virtual CurlLane& NewLane(ConnectionPool pool) = 0;
    // Whether exchanges that come to the lane's pool may share its connection.
    [[nodiscard]] virtual bool HasRoom(const CurlLane& lane) const = 0;
    // Takes exchanges that have not been sent off their lane, to where new ones of the pool go.
    virtual void Move(CurlLane& lane, const CurlLane::List& waiting) = 0;
  };

  Openers(std::shared_ptr<CurlShared> shared, Owner& owner);

  // Whether the lane has had no connection for so long that nobody should wait for it.
  [[nodiscard]] bool TriesTooLong(const CurlLane& lane) const;
  // Moves, retires and tries anew as the lane needs it. The lane stays; others may be added.
  void Check(CurlLane& lane);
  // Returns when Check is due, at the latest.
  [[nodiscard]] SteadyTime NextLook(const CurlLane& lane) const;
  // Gives up the lane's opener, if it has one.
  static void End(CurlLane& lane);

 private:
  // Ignores the answer of an opener: the lane knows before it whether it has a connection.
  class Deaf final : public ResponseReceiver {
   public:
    void OnHeaders(int, const HttpHeaders&) override {}
    void OnData(std::string_view) override {}
    void OnDone(Result<void>) override {}
  };

  [[nodiscard]] bool HasConnection(ConnectionPool pool) const;
  // Whether a try has begun so lately that another one is needless.
  [[nodiscard]] bool HasFreshTry(ConnectionPool pool) const;
  void Open(ConnectionPool pool, const std::string& authorization);

  const std::shared_ptr<CurlShared> shared_;
  Owner& owner_;
  Deaf deaf_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_OPENERS_H_
