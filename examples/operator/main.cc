// A complete operator: a custom resource, a finalizer, owned objects, a condition, events, leader
// election, metrics, health checks and webhooks. manifests/ has everything to run it in a cluster;
// --local runs it outside of one, on free ports of this machine.

#include <iostream>
#include <memory>
#include <string>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/base/stop.h"
#include "kinformer/client/config.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"

#include "website.h"
#include "website_reconciler.h"
#include "website_webhooks.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header

ManagerOptions OptionsOf(bool local) {
  ManagerOptions options{.leader_election = true,
                         .leader_election_id = "websites.example.com",
                         .leader_election_namespace = "default",
                         .leader_election_release_on_cancel = true,
                         .metrics_access = MetricsAccess::kAuthorized,
                         .health_probe_bind_address = ":8081",
                         .webhook_certificates = WebsiteCertificates()};
  if (local) {
    options.metrics_bind_address = options.health_probe_bind_address = "127.0.0.1:0";
    options.webhook.address = "127.0.0.1";
    options.webhook.port = 0;
    options.webhook_certificates->hosts.push_back("127.0.0.1");
  }
  return options;
}

int main(int argc, char** argv) {
  const bool local = argc > 1 && std::string(argv[1]) == "--local";
  StopSource stop = StopOnSignals();
  auto manager = Manager::New(Config::LoadDefault().OrExit(), OptionsOf(local)).OrExit();
  RegisterWebsiteWebhooks(manager->GetWebhookServer()).OrExit();
  ControllerBuilder(*manager)
      .For<Websites>()
      .Owns<appsv1::Deployment>()
      .Owns<corev1::ConfigMap>()
      .Complete(std::make_shared<WebsiteReconciler>(*manager))
      .OrExit();
  const auto say_where = [&manager](const std::stop_token&) {
    std::cout << "metrics on port " << manager->metrics_port() << ", checks on port "
              << manager->health_probe_port() << ", webhooks on port " << manager->webhook_port()
              << std::endl;
    return Result<void>();
  };
  manager->Add(std::make_shared<RunnableFunc>(say_where, "ports", RunnableGroup::kOthers)).OrExit();
  manager->Start(stop.token()).OrExit();
}
