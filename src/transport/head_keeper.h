// transport/head_keeper.h
//
// HeadKeeper: a response with headers of its own, which it can free once they are sent. A watch may
// be idle for an hour after that.

#ifndef KINFORMER_TRANSPORT_HEAD_KEEPER_H_
#define KINFORMER_TRANSPORT_HEAD_KEEPER_H_

#include "kinformer/client/transport.h"

namespace kinformer::internal::transport {

// Additional interface of some responses of the library. Loop-confined.
class HeadKeeper {
 public:
  virtual ~HeadKeeper() = default;
  // Frees the headers. headers() is not called afterwards, and its last result is not used.
  virtual void ReleaseHead() = 0;
};

// Releases the head of any response. No-op for those that keep none.
inline void ReleaseHead(ResponseStream& response) {
  if (auto* const keeper = dynamic_cast<HeadKeeper*>(&response)) keeper->ReleaseHead();
}

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_HEAD_KEEPER_H_
