// apiserver/request/awaited.h
//
// Awaited: a response that becomes available later.

#ifndef KINFORMER_APISERVER_REQUEST_AWAITED_H_
#define KINFORMER_APISERVER_REQUEST_AWAITED_H_

#include <memory>
#include <utility>

#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Loop-confined.
class Awaited final : public Deferred {
 public:
  void Answer(ResponsePtr inner) { Begin(std::move(inner)); }
  // Keeps the operation under way alive as long as this response.
  void Hold(std::shared_ptr<void> ticket) { ticket_ = std::move(ticket); }

 private:
  std::shared_ptr<void> ticket_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_AWAITED_H_
