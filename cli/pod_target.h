// cli/pod_target.h
//
// The pod that a command is for, by its name or by what made it: "web-0", "deployment/web",
// "service/web"; and which of its containers.

#ifndef KINFORMER_CLI_POD_TARGET_H_
#define KINFORMER_CLI_POD_TARGET_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/client/request_options.h"
#include "kinformer/json/json.h"
#include "kinformer/object/ref.h"

namespace kinformer::cli {

struct PodTarget {
  Ref<corev1::Pod> pod{};
  json::Value owner{};  // the Deployment or Service that led to it; null: the pod's name did
  std::string note{};   // for the person: which pod of several it is
};

// Finds the pod; of several the best one: running, ready, seldom restarted, old. Blocks.
Result<PodTarget> FindPod(const Client& client, const std::string& namespace_,
                          const std::string& target, const CallOptions& call);

// Returns the selector of the pods that belong to an object such as a Deployment or a Service, as
// text for a list. kInvalidArgument: it has none.
Result<std::string> PodSelectorOf(const json::Value& object);
// Reads the object that "deployment/web" names, and returns that selector. Blocks.
Result<std::string> FindPodSelector(const Client& client, const std::string& namespace_,
                                    const std::string& target, const CallOptions& call);

// A container, and a note for the person if it was chosen among several.
struct ContainerChoice {
  std::string name{};
  std::string note{};
};
// Returns `asked` if the pod has that container (kInvalidArgument if not), or else the default one:
// that of the annotation, or the first.
Result<ContainerChoice> ChooseContainer(const corev1::Pod& pod, const std::string& asked);

// Whether `a` serves better than `b`.
bool ServesBetter(const corev1::Pod& a, const corev1::Pod& b);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_POD_TARGET_H_
