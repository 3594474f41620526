// An operator with all that operators have: a custom resource, a finalizer, owned objects, a
// condition, events, leader election, metrics, health checks and webhooks. manifests/ has what a
// cluster needs to run it.

#include <memory>
#include <string>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/config.h"
#include "kinformer/controller_builder.h"
#include "kinformer/manager.h"
#include "kinformer/stop.h"

#include "website.h"
#include "website_reconciler.h"
#include "website_webhooks.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header

int main(int argc, char** argv) {
  // Beside a cluster, such as on a developer's machine, there are no certificates for webhooks.
  const bool webhooks = argc < 2 || std::string(argv[1]) != "--no-webhooks";
  StopSource stop = StopOnSignals();
  auto manager = Manager::New(Config::LoadDefault().OrExit(),
                              {.leader_election = true,
                               .leader_election_id = "websites.example.com",
                               .leader_election_namespace = "default",
                               .leader_election_release_on_cancel = true,
                               .metrics_bind_address = webhooks ? ":8080" : "127.0.0.1:0",
                               .health_probe_bind_address = webhooks ? ":8081" : "127.0.0.1:0",
                               .webhook = {.cert_dir = "/certs"}})
                     .OrExit();
  manager
      ->AddReadyzCheck("cache",
                       [&manager] {
                         return manager->GetCache().InformerFor<Websites>().HasSynced()
                                    ? Result<void>()
                                    : Error(Reason::kNotSynced,
                                            "the websites are still being listed");
                       })
      .OrExit();
  if (webhooks) RegisterWebsiteWebhooks(manager->GetWebhookServer()).OrExit();

  ControllerBuilder(*manager)
      .For<Websites>()
      .Owns<appsv1::Deployment>()
      .Owns<corev1::ConfigMap>()
      .Complete(std::make_shared<WebsiteReconciler>(*manager))
      .OrExit();
  manager->Start(stop.token()).OrExit();
}
