// kinformer/internal/cache_tasks.h
//
// Waits for informers and their handlers, as tasks, on which the blocking waits block. Those for
// one informer are functions of InformerCore.

#ifndef KINFORMER_INTERNAL_CACHE_TASKS_H_
#define KINFORMER_INTERNAL_CACHE_TASKS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/event_reader_core.h"
#include "kinformer/internal/informer_core.h"

namespace kinformer::internal {

// See SharedInformerFactory::WaitForCacheSync. `env` must outlive the task.
Task<Result<void>> SyncTask(Env& env, std::vector<std::shared_ptr<InformerCore>> informers,
                            std::stop_token stop, SyncWaitOptions options);
// See EventHandlerRegistration::WaitForSync.
Task<Result<void>> ListenerSyncTask(std::shared_ptr<cache::Listener> listener, std::stop_token stop,
                                    std::optional<Duration> timeout);
// See EventReader::Next. The listener must have a PulledHandler, and no other reader meanwhile.
Task<Result<std::vector<PulledEvent>>> PullTask(std::shared_ptr<cache::Listener> listener,
                                                std::size_t most,
                                                std::optional<SteadyTime> deadline,
                                                std::stop_token stop);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CACHE_TASKS_H_
