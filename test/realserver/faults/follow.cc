// follow [--list] [--json] [--watch-seconds N] [--events FILE] --kubeconfig FILE INFORMER...
// INFORMER: RESOURCE[+json][/NAMESPACE]
//
// Informers for the drivers of test/realserver, which ask for the content of their caches on
// standard input (client.py has the protocol). With +json an informer has no type, with --json all
// use JSON. Watches last at most N seconds. FILE gets a line for each callback: INFORMER KEY WHAT
// UID RESOURCEVERSION. Errors are printed to standard error, with the time in seconds. Counterpart
// in Go: `peers follow`.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/schedulingv1.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/object/unstructured.h"

namespace {

using kinformer::InformerStats;
using kinformer::SharedInformer;
using kinformer::Unstructured;

// The file of --events, if there is one. Thread-safe.
class EventLog {
 public:
  void Open(const std::string& path) { file_.open(path); }
  [[nodiscard]] bool is_open() const { return file_.is_open(); }
  template <class T>
  void Write(const std::string& informer, const std::string& key, std::string_view what,
             const T& object) {
    const auto metadata = object.metadata();
    const std::lock_guard lock(mutex_);
    file_ << informer << ' ' << key << ' ' << what << ' ' << metadata.uid() << ' '
          << metadata.resourceVersion() << std::endl;
  }

 private:
  std::mutex mutex_;
  std::ofstream file_;
};

// Uses the wall clock, because the drivers use it for their times.
double NowInSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Common parameters of all informers.
struct Setup {
  kinformer::SharedInformerFactory& factory;
  kinformer::InitialList initial_list;
  EventLog& events;
};

// One informer of any type.
struct Followed {
  std::function<void()> print_state;
  std::function<void()> print_objects;
  std::function<InformerStats()> stats;
  std::shared_ptr<std::atomic<int>> expired;  // errors about a version that is too old
};

template <class T>
void WriteEvents(SharedInformer<T> informer, const std::string& name, EventLog& log) {
  informer
      .AddEventHandler(
          {.on_add = [&log, name](
                         const kinformer::Added<T>& e) { log.Write(name, e.key, "add", e.object); },
           .on_update =
               [&log, name](const kinformer::Updated<T>& e) {
                 log.Write(name, e.key, "update", e.new_object);
               },
           .on_delete =
               [&log, name](const kinformer::Deleted<T>& e) {
                 log.Write(name, e.key, e.final_state_unknown ? "tombstone" : "delete", e.object);
               }})
      .OrExit();
}

template <class T>
Followed Follow(SharedInformer<T> informer, const std::string& name, const Setup& setup) {
  const auto print_state = [informer, name] {
    const auto snapshot = informer.Snapshot();
    for (T object : snapshot) {
      const auto metadata = object.metadata();
      std::cout << name << ' ';
      if (!metadata.namespace_().empty()) std::cout << metadata.namespace_() << '/';
      std::cout << metadata.name() << ' ' << metadata.uid() << ' ' << metadata.resourceVersion()
                << '\n';
    }
  };
  const auto print_objects = [informer, name] {
    const auto snapshot = informer.Snapshot();
    for (T object : snapshot) std::cout << name << ' ' << object.ToJson() << '\n';
  };
  const auto expired = std::make_shared<std::atomic<int>>(0);
  informer
      .SetWatchErrorHandler([expired, name](const kinformer::Error& error) {
        if (IsResourceExpired(error) || IsGone(error)) ++*expired;
        std::cerr << std::fixed << std::setprecision(2) << NowInSeconds() << ' ' << name << ": "
                  << error << '\n';
      })
      .OrExit();
  if (setup.events.is_open()) WriteEvents(informer, name, setup.events);
  return {print_state, print_objects, [informer] { return informer.Stats(); }, expired};
}

template <class T>
Followed FollowTyped(const Setup& setup, const std::string& name, const std::string& ns) {
  return Follow<T>(
      setup.factory.InformerFor<T>({.initial_list = setup.initial_list, .namespace_ = ns}), name,
      setup);
}

template <class T>
Followed FollowJson(const Setup& setup, const std::string& name, const std::string& ns) {
  const auto& type = T::kind_info();
  const kinformer::GroupVersionResource resource{std::string(type.group), std::string(type.version),
                                                 std::string(type.resource)};
  return Follow<Unstructured>(
      setup.factory.ForResource(resource, type.kind, type.namespaced,
                                {.initial_list = setup.initial_list, .namespace_ = ns}),
      name, setup);
}

using Maker = Followed (*)(const Setup&, const std::string&, const std::string&);
const std::map<std::string_view, Maker> kMakers = {
    {"configmaps", FollowTyped<kinformer::corev1::ConfigMap>},
    {"secrets", FollowTyped<kinformer::corev1::Secret>},
    {"serviceaccounts", FollowTyped<kinformer::corev1::ServiceAccount>},
    {"priorityclasses", FollowTyped<kinformer::schedulingv1::PriorityClass>},
    {"pods", FollowTyped<kinformer::corev1::Pod>},
    {"pods+json", FollowJson<kinformer::corev1::Pod>},
    {"replicasets", FollowTyped<kinformer::appsv1::ReplicaSet>},
};

void PrintStats(const std::string& name, const Followed& followed) {
  const InformerStats stats = followed.stats();
  std::cout << name << " objects=" << stats.objects << " version=" << stats.resourceVersion
            << " lists=" << stats.AllLists() << " watches=" << stats.watches
            << " added=" << stats.added << " modified=" << stats.modified
            << " deleted=" << stats.deleted << " errors=" << stats.errors
            << " expired=" << *followed.expired << " gaps=" << stats.gaps
            << " epochs=" << stats.status.epochs << " checks=" << stats.consistency_checks
            << " inconsistencies=" << stats.inconsistencies << " last_error=\""
            << stats.status.ErrorText() << "\"\n";
}

void Answer(const std::string& question, const std::map<std::string, Followed>& all) {
  for (const auto& [name, followed] : all) {
    if (question == "state") followed.print_state();
    if (question == "objects") followed.print_objects();
    if (question == "stats") PrintStats(name, followed);
  }
  std::cout << "end" << std::endl;
}

struct Options {
  std::string kubeconfig;
  std::string events;
  kinformer::InitialList initial_list{kinformer::InitialList::kWatchList};
  bool json = false;
  std::int64_t watch_seconds = 0;
  std::vector<std::string> names;
};

Options OptionsOf(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool more = i + 1 < arguments.size();
    if (arguments[i] == "--list") {
      options.initial_list = kinformer::InitialList::kList;
    } else if (arguments[i] == "--json") {
      options.json = true;
    } else if (arguments[i] == "--kubeconfig" && more) {
      options.kubeconfig = arguments[++i];
    } else if (arguments[i] == "--events" && more) {
      options.events = arguments[++i];
    } else if (arguments[i] == "--watch-seconds" && more) {
      options.watch_seconds = std::stoll(arguments[++i]);
    } else {
      options.names.push_back(arguments[i]);
    }
  }
  return options;
}

int Run(const Options& options) {
  EventLog events;
  if (!options.events.empty()) events.Open(options.events);
  auto config = kinformer::Config::FromKubeconfigFile(options.kubeconfig).OrExit();
  if (options.json) config.content_type = "application/json";
  const auto client = kinformer::Client::NewForConfig(config, {.qps = -1}).OrExit();
  kinformer::SharedInformerFactoryOptions factory_options;
  if (options.watch_seconds > 0) {
    factory_options.tweak_list_options = [&options](kinformer::ListOptions& request) {
      if (request.timeoutSeconds) request.timeoutSeconds = options.watch_seconds;
    };
  }
  kinformer::SharedInformerFactory factory(client, std::move(factory_options));
  const Setup setup{factory, options.initial_list, events};
  std::map<std::string, Followed> all;
  for (const std::string& name : options.names) {
    const std::size_t slash = name.find('/');
    const auto maker = kMakers.find(std::string_view(name).substr(0, slash));
    if (maker == kMakers.end()) {
      std::cerr << "follow: there is no resource for " << name << '\n';
      return 2;
    }
    const std::string ns = slash == std::string::npos ? "" : name.substr(slash + 1);
    all.emplace(name, maker->second(setup, name, ns));
  }
  factory.Start();
  std::cout << "ready" << std::endl;
  for (std::string question; std::getline(std::cin, question);) Answer(question, all);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Run(OptionsOf({argv + 1, argv + argc})); }
