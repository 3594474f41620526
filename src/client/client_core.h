// client/client_core.h
//
// ClientCore: state shared by all copies of a Client: the Engine on the loop, the Runtime if the
// client made one, and discovery results.

#ifndef KINFORMER_CLIENT_CLIENT_CORE_H_
#define KINFORMER_CLIENT_CLIENT_CORE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/task.h"
#include "kinformer/client/discovery.h"
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

// Thread-safe.
class ClientCore {
 public:
  ClientCore(std::shared_ptr<client::Engine> engine, std::unique_ptr<Runtime> runtime)
      : engine_(std::move(engine)), runtime_(std::move(runtime)) {}
  // Blocks until the loop has destroyed the transport, if this owns the Runtime.
  ~ClientCore();

  [[nodiscard]] Env& env() const { return engine_->env(); }
  [[nodiscard]] const std::shared_ptr<client::Engine>& engine() const { return engine_; }

  // Sends a request, and returns its response; server errors are Errors. Keeps `core`.
  static Task<Result<client::RawResponse>> Call(std::shared_ptr<const ClientCore> core,
                                                ExchangeRequest request, CallOptions options);

  // Groups found by discovery; null: not fetched yet. Guarded by its mutex.
  struct DiscoveryCache {
    std::mutex mutex;
    std::shared_ptr<const std::vector<ApiGroupVersion>> groups;
  };
  [[nodiscard]] DiscoveryCache& discovery_cache() const { return discovery_; }

 private:
  const std::shared_ptr<client::Engine> engine_;
  std::unique_ptr<Runtime> runtime_;
  mutable DiscoveryCache discovery_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CLIENT_CLIENT_CORE_H_
