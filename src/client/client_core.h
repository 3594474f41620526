// client/client_core.h
//
// ClientCore: state shared by all copies of a Client: the Engine on the loop, the Runtime if the
// client made one, and discovery results.

#ifndef KINFORMER_CLIENT_CLIENT_CORE_H_
#define KINFORMER_CLIENT_CLIENT_CORE_H_

#include <functional>
#include <memory>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/task.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/transport.h"

#include "client/engine.h"

namespace kinformer::internal {

namespace client {

// A complete response.
struct RawResponse {
  int status = 0;
  HttpHeaders headers{};
  std::string body{};
};

}  // namespace client

class DiscoveryCache;  // discovery_cache.h

// Thread-safe.
class ClientCore {
 public:
  ClientCore(std::shared_ptr<client::Engine> engine, std::unique_ptr<Runtime> runtime);
  // Blocks until the loop has destroyed the transport, if this owns the Runtime.
  ~ClientCore();

  [[nodiscard]] Env& env() const { return engine_->env(); }
  [[nodiscard]] const std::shared_ptr<client::Engine>& engine() const { return engine_; }

  // Sends a request, and returns its response; server errors are Errors. Keeps `core`.
  static Task<Result<client::RawResponse>> Call(std::shared_ptr<const ClientCore> core,
                                                ExchangeRequest request, CallOptions options);

  // Returns what the copies of this client know by discovery.
  [[nodiscard]] const std::shared_ptr<DiscoveryCache>& discovery_cache() const {
    return discovery_;
  }

 private:
  const std::shared_ptr<client::Engine> engine_;
  std::unique_ptr<Runtime> runtime_;
  const std::shared_ptr<DiscoveryCache> discovery_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CLIENT_CLIENT_CORE_H_
