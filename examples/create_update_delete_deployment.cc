// client-go's example create-update-delete-deployment, line by line: creates a Deployment, changes
// it, lists all, and deletes it, with a pause for the Return key between the steps.
//   create_update_delete_deployment [KUBECONFIG]

#include <iostream>
#include <string>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/client.h"
#include "kinformer/clientset/appsv1.h"

namespace appsv1 = kinformer::appsv1;
namespace clientcmd = kinformer::clientcmd;
namespace retry = kinformer::retry;
using kinformer::Ref;
using kinformer::Result;

namespace {

void Prompt() {
  std::cout << "-> Press Return key to continue." << std::flush;
  std::string line;
  std::getline(std::cin, line);
  std::cout << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  const kinformer::Config config =
      clientcmd::BuildConfigFromFlags("", argc > 1 ? argv[1] : "").OrExit();
  const auto clientset = kinformer::Clientset::NewForConfig(config).OrExit();

  const auto deployments = clientset.AppsV1().Deployments("default");

  appsv1::Deployment::Mutable deployment;
  deployment.metadata.name = "demo-deployment";
  deployment.spec = {
      .replicas = 2,
      .selector = {{.matchLabels = {{"app", "demo"}}}},
  };
  auto& pod = deployment.spec.template_;
  pod.metadata.labels = {{"app", "demo"}};
  pod.spec.containers = {{
      .name = "web",
      .image = "nginx:1.12",
      .ports = {{.name = "http", .containerPort = 80, .protocol = "TCP"}},
  }};

  // Create Deployment
  std::cout << "Creating deployment..." << std::endl;
  const Ref<appsv1::Deployment> result = deployments.Create(deployment).OrExit();
  std::cout << "Created deployment \"" << result->metadata().name() << "\"." << std::endl;

  // Update Deployment
  Prompt();
  std::cout << "Updating deployment..." << std::endl;
  // Reads the latest version before each attempt, so that changes of other clients stay.
  retry::RetryOnConflict(clientset.client().env(), retry::kDefaultRetry, [&]() -> Result<void> {
    const Ref<appsv1::Deployment> latest = deployments.Get("demo-deployment").OrExit();
    appsv1::Deployment::Mutable wanted = (*latest).DeepCopy();
    wanted.spec.replicas = 1;                                       // reduce replica count
    wanted.spec.template_.spec.containers[0].image = "nginx:1.13";  // change nginx version
    const auto updated = deployments.Update(wanted);
    if (!updated) return updated.error();
    return {};
  }).OrExit();
  std::cout << "Updated deployment..." << std::endl;

  // List Deployments
  Prompt();
  std::cout << "Listing deployments in namespace \"default\":" << std::endl;
  const auto list = deployments.List().OrExit();
  for (const appsv1::Deployment d : list) {
    std::cout << " * " << d.metadata().name() << " (" << d.spec().replicas().value_or(1)
              << " replicas)" << std::endl;
  }

  // Delete Deployment
  Prompt();
  std::cout << "Deleting deployment..." << std::endl;
  deployments.Delete("demo-deployment", {.propagationPolicy = "Foreground"}).OrExit();
  std::cout << "Deleted deployment." << std::endl;
}
