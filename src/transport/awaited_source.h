// transport/awaited_source.h

#ifndef KINFORMER_TRANSPORT_AWAITED_SOURCE_H_
#define KINFORMER_TRANSPORT_AWAITED_SOURCE_H_

#include <functional>

#include "kinformer/env.h"
#include "kinformer/http_transport.h"
#include "kinformer/result.h"

namespace kinformer::internal::transport {

// A CredentialSource whose answer may cost something as long as somebody waits for it: a plugin
// that runs. Confined to the loop, as every source.
class AwaitedSource : public CredentialSource {
 public:
  // As Fetch, for `who`, who calls Forget where the answer is not needed any more.
  virtual void FetchFor(const void* who, Env& env,
                        std::function<void(Result<Credentials>)> done) = 0;
  // `who` hears nothing more.
  virtual void Forget(const void* who, Env& env) = 0;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_AWAITED_SOURCE_H_
