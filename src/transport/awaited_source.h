// transport/awaited_source.h

#ifndef KINFORMER_TRANSPORT_AWAITED_SOURCE_H_
#define KINFORMER_TRANSPORT_AWAITED_SOURCE_H_

#include <functional>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/http_transport.h"

namespace kinformer::internal::transport {

// A CredentialSource that may use resources while a caller waits, such as a running plugin.
// Loop-confined, like every source.
class AwaitedSource : public CredentialSource {
 public:
  // Like Fetch, for `who`, which calls Forget when the answer is no longer needed.
  virtual void FetchFor(const void* who, Env& env,
                        std::function<void(Result<Credentials>)> done) = 0;
  // The callback of `who` is not called after this.
  virtual void Forget(const void* who, Env& env) = 0;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_AWAITED_SOURCE_H_
