// transport/life_signs.h
//
// LifeSigns: whether the connections of a transport live, and what becomes of requests on those
// that do not.
//
// The evidence is silence where an answer is awaited:
//   - read_idle_timeout long: the connection is asked for a sign of life (a probe);
//   - some seconds long, and then the caller gives up; or a probe is not answered for as long: the
//     connection is suspected. It gets no new exchange until its probe is answered, and so do those
//     of the same server that have been silent since then: what has cut one has often cut all;
//   - ping_timeout after the probe: the connection is dead, and what runs on it ends.
// A connection that cannot be asked, since it carries one exchange at a time (HTTP/1.1), is retired
// instead of suspected; so is every one where read_idle_timeout forbids probes.

#ifndef KINFORMER_TRANSPORT_LIFE_SIGNS_H_
#define KINFORMER_TRANSPORT_LIFE_SIGNS_H_

#include <memory>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/error.h"

#include "transport/curl_lane.h"
#include "transport/curl_transfer.h"
#include "transport/tls_material.h"

namespace kinformer::internal::transport {

// Loop-confined. Owns nothing: probes belong to their lanes.
class LifeSigns {
 public:
  // What it needs of the transport.
  class Owner {
   public:
    virtual ~Owner() = default;
    [[nodiscard]] virtual const std::vector<std::unique_ptr<CurlLane>>& lanes() const = 0;
    [[nodiscard]] virtual const std::shared_ptr<const TlsMaterial>& tls() const = 0;
    [[nodiscard]] virtual std::string Describe() const = 0;
    // Takes it off its lane; the receiver hears `why`, and may do anything but end the lane.
    virtual void Fail(const std::shared_ptr<CurlTransfer>& transfer, Error why) = 0;
  };

  LifeSigns(std::shared_ptr<CurlShared> shared, Owner& owner);

  // The caller of an exchange, which is still on its lane, has given it up, or its time is over.
  void GivenUp(const CurlTransfer& transfer);
  // Looks at all of a lane. The lane stays; others may come.
  void Check(CurlLane& lane);
  // When Check would find something new if nothing happens until then, at the earliest.
  [[nodiscard]] SteadyTime NextLook(const CurlLane& lane) const;
  static void EndProbe(CurlLane& lane);

 private:
  void CheckConnecting(CurlLane& lane);
  void CheckLife(CurlLane& lane);
  void CheckProgress(CurlLane& lane);
  void GiveUpHalf(const std::shared_ptr<CurlTransfer>& transfer, Duration silent);
  // An answer has been awaited in vain since then: on `lane`, if that is not null.
  void Suspect(CurlLane* lane, SteadyTime since, const std::string& authorization);
  void Doubt(CurlLane& lane, const std::string& authorization);
  void StartProbe(CurlLane& lane, const std::string& authorization);
  [[nodiscard]] bool probes() const;
  // How long silence must last to be evidence.
  [[nodiscard]] Duration Patience() const;

  const std::shared_ptr<CurlShared> shared_;
  Owner& owner_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_LIFE_SIGNS_H_
