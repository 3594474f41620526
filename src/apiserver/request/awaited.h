// apiserver/request/awaited.h
//
// Awaited: an answer for which somebody has to be asked first.

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
  // Keeps the question under way for as long as somebody waits for this.
  void Hold(std::shared_ptr<void> ticket) { ticket_ = std::move(ticket); }

 private:
  std::shared_ptr<void> ticket_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_AWAITED_H_
