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
  // What it needs of the transport.
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

  // It has no connection yet, and whoever needs one should not wait for it.
  [[nodiscard]] bool TriesTooLong(const CurlLane& lane) const;
  // Looks at all that wait on a lane. The lane stays; others may come.
  void Check(CurlLane& lane);
  // When Check is due, at the latest.
  [[nodiscard]] SteadyTime NextLook(const CurlLane& lane) const;
  static void End(CurlLane& lane);

 private:
  // Whatever comes of an opener, its lane knows before this does whether it has a connection.
  class Deaf final : public ResponseReceiver {
   public:
    void OnHeaders(int, const HttpHeaders&) override {}
    void OnData(std::string_view) override {}
    void OnDone(Result<void>) override {}
  };

  [[nodiscard]] bool HasConnection(ConnectionPool pool) const;
  // A try that has begun lately makes another one needless.
  [[nodiscard]] bool HasFreshTry(ConnectionPool pool) const;
  void Open(ConnectionPool pool, const std::string& authorization);

  const std::shared_ptr<CurlShared> shared_;
  Owner& owner_;
  Deaf deaf_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_OPENERS_H_
