// transport/wrapped_transport.h

#ifndef KINFORMER_TRANSPORT_WRAPPED_TRANSPORT_H_
#define KINFORMER_TRANSPORT_WRAPPED_TRANSPORT_H_

#include <memory>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/client/transport_wrapper.h"

namespace kinformer::internal::transport {

// Calls the wrappers in their order; empty ones are left out. The last one's transport is the
// outermost. kConfig: a wrapper threw, which is also logged and counted, or returned null.
Result<std::shared_ptr<Transport>> Wrapped(Env& env, const std::vector<WrapperFunc>& wrappers,
                                           std::shared_ptr<Transport> transport);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_WRAPPED_TRANSPORT_H_
