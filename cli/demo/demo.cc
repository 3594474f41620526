// kinformer demo: informers with a simulated cluster that changes.

#include <chrono>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>

#include "kinformer/base/runtime.h"
#include "kinformer/base/stop.h"
#include "kinformer/client/config.h"

#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/report.h"
#include "demo/dashboard.h"
#include "demo/embedded_cluster.h"
#include "demo/observer.h"
#include "demo/screen.h"

namespace kinformer::cli {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

struct DemoFlags {
  ConnectionFlags connection;
  double for_seconds = 0;
  bool plain = false;
};

// One run of the demo.
class Demo {
 public:
  explicit Demo(const DemoFlags& flags)
      : flags_(flags), screen_(!flags.plain && isatty(STDOUT_FILENO) == 1), stop_(StopOnSignals()) {
    demo::SetColors(screen_.terminal());
  }

  int Run() {
    const bool real = !flags_.connection.kubeconfig.empty() || !flags_.connection.server.empty() ||
                      !flags_.connection.context.empty();
    if (Result<void> started = real ? UseRealCluster() : StartCluster(); !started) {
      return Fail(started.error());
    }
    observer_ = std::make_unique<demo::Observer>(*client_);
    dashboard_ = std::make_unique<demo::Dashboard>(*client_, *observer_, title_);
    observer_->Start();
    const Result<void> done = Watch();
    screen_.Finish();
    if (!done) return Fail(done.error());
    return cluster_ != nullptr || flags_.for_seconds > 0 ? Summary() : 0;
  }

 private:
  Result<void> StartCluster() {
    screen_.Note("starting the embedded API server with 50 nodes, 20 namespaces, 2,000 pods ...");
    auto cluster = demo::EmbeddedCluster::Start({});
    if (!cluster) return std::move(cluster).error();
    cluster_ = *std::move(cluster);
    Result<Config> config = Config::FromKubeconfig(cluster_->Kubeconfig());
    if (!config) return std::move(config).error();
    // No log: lines about cut connections would destroy the picture on the terminal.
    runtime_ =
        std::make_unique<Runtime>(RuntimeOptions{.log = std::shared_ptr<LogSink>(NewNullLog())});
    Result<Client> client = Client::NewForConfig(runtime_->env(), *config, {.qps = -1});
    if (!client) return std::move(client).error();
    client_ = std::make_unique<Client>(*std::move(client));
    title_ = "embedded API server " + cluster_->url();
    return {};
  }

  Result<void> UseRealCluster() {
    Result<Connection> connection = Connect(flags_.connection);
    if (!connection) return std::move(connection).error();
    runtime_ = std::move(connection->runtime);
    client_ = std::make_unique<Client>(connection->client);
    if (Result<std::string> version = client_->GetRaw("/version"); !version)
      return std::move(version).error();
    title_ = client_->Describe();
    return {};
  }

  // Shows the state until the end of the demo.
  Result<void> Watch() {
    const auto start = steady_clock::now();
    const auto length = std::chrono::duration<double>(flags_.for_seconds);
    const auto cut_at =
        start + (flags_.for_seconds > 0
                     ? std::chrono::duration_cast<steady_clock::duration>(length * 0.45)
                     : steady_clock::duration(9s));
    auto next_line = start;
    if (cluster_ != nullptr) cluster_->Live(100ms);
    while (!stop_.stop_requested()) {
      const auto now = steady_clock::now();
      if (flags_.for_seconds > 0 && now - start > length) break;
      dashboard_->Update(now, TakeStory());
      if (cluster_ != nullptr) CutOnce(now, cut_at);
      screen_.Show(dashboard_->Picture());
      if (!screen_.terminal() && now >= next_line) {
        next_line = now + 1s;
        for (const std::string& line : dashboard_->TakeNews(4)) screen_.Note("         " + line);
        screen_.Note(dashboard_->Line());
      }
      std::this_thread::sleep_for(250ms);
    }
    return {};
  }

  // Cuts all connections once after some seconds; a line reports the recovery.
  void CutOnce(steady_clock::time_point now, steady_clock::time_point at) {
    if (cut_ == steady_clock::time_point{}) {
      if (now < at || !observer_->HasSynced()) return;
      before_cut_ = Watches();
      cluster_->CutConnections();
      cut_ = now;
      Say("all connections cut in the middle of their streams");
    } else if (!recovered_ &&
               Watches().first >= before_cut_.first + observer_->resources().size()) {
      recovered_ = true;
      const auto [watches, lists] = Watches();
      Say(fmt::format(
          "connections were cut; {} watches resumed after {:.1f} s where they had been, {} relists",
          watches - before_cut_.first, std::chrono::duration<double>(now - cut_).count(),
          lists - before_cut_.second));
    }
  }

  void Say(const std::string& line) {
    dashboard_->Headline(line);
    screen_.Note("         " + line);
  }

  // Returns the watches opened and the lists completed so far, over all resources.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> Watches() const {
    std::pair<std::uint64_t, std::uint64_t> sum{0, 0};
    for (const demo::CachedResource& resource : observer_->resources()) {
      const InformerStats stats = resource.stats();
      sum.first += stats.watches;
      sum.second += stats.AllLists();
    }
    return sum;
  }

  // Compares the caches with the server. A simulated cluster is stopped first. A real one keeps
  // changing, so it is listed until each resource was equal to its cache once.
  int Summary() {
    if (cluster_ != nullptr) cluster_->Live(0ms);
    const auto deadline = steady_clock::now() + 10s;
    std::vector<std::string> unequal = Unequal();
    while (!unequal.empty() && steady_clock::now() < deadline) {
      std::this_thread::sleep_for(cluster_ != nullptr ? 20ms : 500ms);
      unequal = Unequal();
    }
    dashboard_->Update(steady_clock::now(), TakeStory());
    const TransportStats transport = client_->Stats();
    fmt::print("\n{} events into {} caches by {} requests on {} connections, {} received\n",
               demo::Grouped(dashboard_->events()), observer_->resources().size(),
               transport.requests, transport.connections_opened,
               demo::Bytes(static_cast<double>(transport.bytes_received)));
    if (cluster_ != nullptr && cut_ == steady_clock::time_point{})
      fmt::print("no connection was cut: the demo was too short\n");
    for (const std::string& line : unequal) fmt::print("{} {}\n", demo::Red("DIFFERENT"), line);
    if (!unequal.empty()) return kFailure;
    fmt::print(
        "{} every cache equals the server: {} objects compared by name and resourceVersion; the "
        "handlers agree\n",
        demo::Green("EQUAL"), demo::Grouped(compared_objects_));
    return 0;
  }

  [[nodiscard]] std::vector<std::string> TakeStory() {
    return cluster_ != nullptr ? cluster_->TakeStory() : std::vector<std::string>();
  }

  // Returns differences between caches, handlers and server; skips resources found equal before.
  std::vector<std::string> Unequal() {
    std::vector<std::string> out;
    for (const demo::CachedResource& resource : observer_->resources()) {
      if (equal_.contains(resource.name)) continue;
      Result<std::map<std::string, std::string>> on_server =
          cluster_ != nullptr ? cluster_->State(resource.resource) : resource.listed();
      if (!on_server) {
        out.push_back(resource.name + ": " + on_server.error().ToString());
        continue;
      }
      const auto cached = resource.state();
      if (*on_server != cached) {
        out.push_back(
            fmt::format("{}: {} objects on the server, {} in the cache, or other versions",
                        resource.name, on_server->size(), cached.size()));
      } else if (resource.name == "pods" && observer_->believed_pods() != on_server->size()) {
        out.push_back(fmt::format("pods: the handler counts {}, the server {}",
                                  observer_->believed_pods(), on_server->size()));
      } else {
        compared_objects_ += on_server->size();
        equal_.insert(resource.name);
      }
    }
    return out;
  }

  const DemoFlags& flags_;
  demo::Screen screen_;
  StopSource stop_;
  std::string title_;
  std::unique_ptr<demo::EmbeddedCluster> cluster_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<demo::Observer> observer_;
  std::unique_ptr<demo::Dashboard> dashboard_;
  steady_clock::time_point cut_{};
  bool recovered_ = false;
  std::pair<std::uint64_t, std::uint64_t> before_cut_{};
  std::set<std::string> equal_;
  std::size_t compared_objects_ = 0;
};

}  // namespace

void RegisterDemo(CommandLine& line) {
  Command& command = line.Add("demo", "informers at work on a made-up cluster, or on a real one");
  auto flags = std::make_shared<DemoFlags>();
  AddConnectionFlags(command, flags->connection);
  command.Seconds("--for", flags->for_seconds,
                  "end after this time with a summary, for example 20s");
  command.Flag("--plain", flags->plain,
               "lines instead of a picture, as when the output is no terminal");
  command.Run([flags] { return Demo(*flags).Run(); });
}

}  // namespace kinformer::cli
