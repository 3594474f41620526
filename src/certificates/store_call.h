// certificates/store_call.h
//
// UpdateStore: writes a pair to a store without blocking the loop.

#ifndef KINFORMER_CERTIFICATES_STORE_CALL_H_
#define KINFORMER_CERTIFICATES_STORE_CALL_H_

#include <memory>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/certificate/cert.h"
#include "kinformer/certificate/certificate_store.h"

namespace kinformer::internal::certificates {

// Calls store->Update: a FileStore's on the library's own threads, so that user functions that fill
// the pool delay no certificate, another one's on the pool. An exception is an error, too. The call
// keeps `alive` while it runs.
Task<Result<void>> UpdateStore(Env& env, std::shared_ptr<certificate::Store> store,
                               CertificatePair pair, std::shared_ptr<void> alive);

}  // namespace kinformer::internal::certificates

#endif  // KINFORMER_CERTIFICATES_STORE_CALL_H_
