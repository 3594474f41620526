// transport/life_signs.h
//
// LifeSigns: detects dead connections of a transport, and handles the requests on them. Each step
// needs a longer silence than the one before.
//
// Silence counts only while an answer is awaited:
//   - after read_idle_timeout, a probe is sent on the connection;
//   - after some seconds, if the caller then gives up or a probe is not answered, the connection is
//     suspected: it gets no new exchange until its probe is answered. So are connections to the
//     same server that have been silent as long, since a network failure often affects them all;
//   - ping_timeout after the probe, the connection is dead, and its exchanges end.
// A connection that cannot be probed, because it carries one exchange at a time (HTTP/1.1), is
// retired instead of suspected; so is every connection if read_idle_timeout disables probes.

#ifndef KINFORMER_TRANSPORT_LIFE_SIGNS_H_
#define KINFORMER_TRANSPORT_LIFE_SIGNS_H_

#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"

#include "transport/curl_lane.h"
#include "transport/curl_transfer.h"
#include "transport/tls_material.h"

namespace kinformer::internal::transport {

// Loop-confined. Owns nothing: probes belong to their lanes.
class LifeSigns {
 public:
  // Functions of the transport that this class uses.
  class Owner {
   public:
    virtual ~Owner() = default;
    [[nodiscard]] virtual const std::vector<std::unique_ptr<CurlLane>>& lanes() const = 0;
    [[nodiscard]] virtual const std::shared_ptr<const TlsMaterial>& tls() const = 0;
    [[nodiscard]] virtual std::string Describe() const = 0;
    // Removes it from its lane. Its receiver gets `why`, and may do anything except end the lane.
    virtual void Fail(const std::shared_ptr<CurlTransfer>& transfer, Error why) = 0;
  };

  LifeSigns(std::shared_ptr<CurlShared> shared, Owner& owner);

  // Called when the caller of an exchange gives up or its time is over; it is still on its lane.
  void GivenUp(const CurlTransfer& transfer);
  // Checks all exchanges of a lane. The lane survives; new lanes may be added.
  void Check(CurlLane& lane);
  // Earliest time at which Check could find something new if nothing happens until then.
  [[nodiscard]] SteadyTime NextLook(const CurlLane& lane) const;
  static void EndProbe(CurlLane& lane);

 private:
  void CheckConnecting(CurlLane& lane);
  void CheckLife(CurlLane& lane);
  void CheckProgress(CurlLane& lane);
  void GiveUpHalf(const std::shared_ptr<CurlTransfer>& transfer, Duration silent);
  // Called when an answer has been missing since then; on `lane`, unless that is null.
  void Suspect(CurlLane* lane, SteadyTime since, const std::string& authorization);
  void Doubt(CurlLane& lane, const std::string& authorization);
  void StartProbe(CurlLane& lane, const std::string& authorization);
  [[nodiscard]] bool probes() const;
  // Duration of silence that makes a connection suspect.
  [[nodiscard]] Duration Patience() const;

  const std::shared_ptr<CurlShared> shared_;
  Owner& owner_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_LIFE_SIGNS_H_
