// client-go's example out-of-cluster-client-configuration, line by line: counts the pods of a
// cluster, and asks for one, every ten seconds.
//   out_of_cluster [KUBECONFIG]

#include <chrono>
#include <iostream>
#include <string>

#include "kinformer/base.h"
#include "kinformer/client.h"
#include "kinformer/clientset/corev1.h"

namespace clientcmd = kinformer::clientcmd;

int main(int argc, char** argv) {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  // use the current context in kubeconfig
  const kinformer::Config config =
      clientcmd::BuildConfigFromFlags("", argc > 1 ? argv[1] : "").OrExit();

  // create the clientset
  const auto clientset = kinformer::Clientset::NewForConfig(config).OrExit();
  do {
    const auto pods = clientset.CoreV1().Pods("").List().OrExit();
    std::cout << "There are " << pods.size() << " pods in the cluster" << std::endl;

    const std::string name = "example-xxxxx";
    const auto pod = clientset.CoreV1().Pods("default").Get(name);
    if (pod.ok()) {
      std::cout << "Found pod " << name << " in namespace default" << std::endl;
    } else if (kinformer::IsNotFound(pod.error())) {
      std::cout << "Pod " << name << " in namespace default not found" << std::endl;
    } else {
      std::cout << "Error getting pod " << name << ": " << pod.error().message() << std::endl;
    }
  } while (kinformer::SleepUnlessStopped(clientset.client().env(), stop.token(),
                                         std::chrono::seconds(10)));
}
