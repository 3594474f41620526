#ifndef EXAMPLES_OPERATOR_WEBSITE_RECONCILER_H_
#define EXAMPLES_OPERATOR_WEBSITE_RECONCILER_H_

#include <memory>

#include "kinformer/controller/manager.h"
#include "kinformer/controller/reconciler.h"

#include "website.h"

// Gives each Website a ConfigMap with its page and a Deployment that serves it, reports the result
// in the condition Ready, and prints a line before a Website is deleted.
class WebsiteReconciler final : public kinformer::Reconciler {
 public:
  explicit WebsiteReconciler(kinformer::Manager& manager);

  kinformer::Result<kinformer::ReconcileResult> Reconcile(
      const kinformer::ReconcileContext& context, const kinformer::Request& request) override;

 private:
  kinformer::Result<kinformer::ReconcileResult> Finish(const kinformer::ReconcileContext& context,
                                                       Websites::Mutable website);
  kinformer::Result<void> MakeConfigMap(const kinformer::ReconcileContext& context,
                                        const Websites& website);
  kinformer::Result<bool> MakeDeployment(const kinformer::ReconcileContext& context,
                                         const Websites& website);

  const kinformer::DelegatingClient client_;
  const std::shared_ptr<kinformer::EventRecorder> events_;
};

#endif  // EXAMPLES_OPERATOR_WEBSITE_RECONCILER_H_
