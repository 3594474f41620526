// follow [--list] --kubeconfig FILE RESOURCE[/NAMESPACE]...: informers for the driver of
// test/realserver/faults, which asks on standard input what is in their caches (client.py has the
// protocol). The counterpart in Go is `peers follow`.

#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/schedulingv1.h"
#include "kinformer/client.h"
#include "kinformer/config.h"
#include "kinformer/shared_informer.h"
#include "kinformer/shared_informer_factory.h"

namespace {

using kinformer::InformerStats;

// One informer, whatever its type.
struct Followed {
  std::function<void()> print_objects;
  std::function<InformerStats()> stats;
};

template <class T>
Followed Follow(kinformer::SharedInformerFactory& factory, const std::string& name,
                kinformer::InformerOptions<T> options) {
  const auto informer = factory.InformerFor<T>(std::move(options));
  const auto print = [informer, name] {
    const auto snapshot = informer.Snapshot();
    for (T object : snapshot) {
      const auto metadata = object.metadata();
      std::cout << name << ' ';
      if (!metadata.namespace_().empty()) std::cout << metadata.namespace_() << '/';
      std::cout << metadata.name() << ' ' << metadata.uid() << ' ' << metadata.resourceVersion()
                << '\n';
    }
  };
  return {print, [informer] { return informer.Stats(); }};
}

template <class T>
Followed FollowIn(kinformer::SharedInformerFactory& factory, const std::string& name,
                  const std::string& ns, kinformer::InitialList initial_list) {
  return Follow<T>(factory, name, {.initial_list = initial_list, .namespace_ = ns});
}

using Maker = Followed (*)(kinformer::SharedInformerFactory&, const std::string&,
                           const std::string&, kinformer::InitialList);
const std::map<std::string_view, Maker> kMakers = {
    {"configmaps", FollowIn<kinformer::corev1::ConfigMap>},
    {"secrets", FollowIn<kinformer::corev1::Secret>},
    {"serviceaccounts", FollowIn<kinformer::corev1::ServiceAccount>},
    {"priorityclasses", FollowIn<kinformer::schedulingv1::PriorityClass>},
};

void PrintStats(const std::string& name, const InformerStats& stats) {
  std::cout << name << " objects=" << stats.objects << " version=" << stats.resourceVersion
            << " lists=" << stats.AllLists() << " watches=" << stats.watches
            << " errors=" << stats.errors << " epochs=" << stats.status.epochs << " last_error=\""
            << stats.status.ErrorText() << "\"\n";
}

void Answer(const std::string& question, const std::map<std::string, Followed>& all) {
  for (const auto& [name, followed] : all) {
    if (question == "state") followed.print_objects();
    if (question == "stats") PrintStats(name, followed.stats());
  }
  std::cout << "end" << std::endl;
}

int Run(const std::vector<std::string>& arguments) {
  std::string kubeconfig;
  auto initial_list = kinformer::InitialList::kWatchList;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--list") {
      initial_list = kinformer::InitialList::kList;
    } else if (arguments[i] == "--kubeconfig" && i + 1 < arguments.size()) {
      kubeconfig = arguments[++i];
    } else {
      names.push_back(arguments[i]);
    }
  }
  const auto config = kinformer::Config::FromKubeconfigFile(kubeconfig).OrExit();
  const auto client = kinformer::Client::NewForConfig(config, {.qps = -1}).OrExit();
  kinformer::SharedInformerFactory factory(client);
  std::map<std::string, Followed> all;
  for (const std::string& name : names) {
    const std::size_t slash = name.find('/');
    const auto maker = kMakers.find(std::string_view(name).substr(0, slash));
    if (maker == kMakers.end()) {
      std::cerr << "follow: there is no resource for " << name << '\n';
      return 2;
    }
    const std::string ns = slash == std::string::npos ? "" : name.substr(slash + 1);
    all.emplace(name, maker->second(factory, name, ns, initial_list));
  }
  factory.Start();
  std::cout << "ready" << std::endl;
  for (std::string question; std::getline(std::cin, question);) Answer(question, all);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Run({argv + 1, argv + argc}); }
