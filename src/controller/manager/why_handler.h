// controller/manager/why_handler.h
//
// WhyHandler: tells why objects were reconciled, for `kinformer why`.

#ifndef KINFORMER_CONTROLLER_MANAGER_WHY_HANDLER_H_
#define KINFORMER_CONTROLLER_MANAGER_WHY_HANDLER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"
#include "kinformer/object/kind_info.h"

#include "base/core/mutex.h"
#include "controller/causes/reconcile_history.h"
#include "controller/endpoints/call_thread.h"

namespace kinformer::internal {

inline constexpr const char* kWhyPath = "/debug/kinformer/why";

// Histories of the controllers of a manager. Thread-safe.
class Histories {
 public:
  using History = std::shared_ptr<const ReconcileHistory>;
  // Keeps it as long as its controller does.
  void Add(const History& history) KINFORMER_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<History> All() const KINFORMER_EXCLUDES(mutex_);

 private:
  mutable base::Mutex mutex_;
  std::vector<std::weak_ptr<const ReconcileHistory>> histories_ KINFORMER_GUARDED_BY(mutex_);
};

// Whether `asked` names the kind: "Deployment", "deployments", "deployment.apps", in any case.
[[nodiscard]] bool NamesKind(std::string_view asked, const KindInfo& kind);

// Returns what the controllers know of an object, as JSON; docs/guide/command.md has its members.
[[nodiscard]] std::string WhyJson(const Env& env, const std::vector<Histories::History>& histories,
                                  std::string_view kind, const std::string& object);

// Answers kWhyPath?kind=KIND&object=NAMESPACE/NAME. Loop-confined; the texts are made on a thread
// of its own.
class WhyHandler final : public Handler {
 public:
  WhyHandler(Env& env, std::shared_ptr<const Histories> histories);
  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;

 private:
  Env& env_;
  const std::shared_ptr<const Histories> histories_;
  endpoints::CallThread thread_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_MANAGER_WHY_HANDLER_H_
