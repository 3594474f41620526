// Informers behind a network that cuts, stalls and slows down connections. A separate process runs
// an API server with constant writes; a proxy between it and the informers disturbs their
// connections. From time to time the writes pause, and every cache is compared with the server.
//
//   chaos [--seconds N] [--seed N] [--rate N] [--informers N] [--http 1|2]
//         [--longest-stall SECONDS] [--stop-server]
//
// Defaults: 120 seconds, seed 1, 2000 writes a second, 10 informers, HTTP/2 and 90 seconds. A seed
// gives the same troubles, but not at the same bytes. --stop-server ends with a SIGSTOP to the
// server and measures the time until each informer reports it.
//
// Exit status 1: a cache or handler was not equal to the server, or not in time; events violated
// the guarantees of resource_event_handler.h; an informer itself noticed that events were missing;
// an informer did not notice within a minute that the server had stopped; descriptors or memory
// grew; a run of ten minutes or more had less than half of the requested writes, on the average of
// its rounds (this is not checked with sanitizers).

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"

#include "soak/chaos_proxy.h"
#include "soak/chaos_server.h"
#include "soak/follower.h"
#include "soak/process_growth.h"
#include "support/child_process.h"

namespace kinformer::testing {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Enough time to notice two dead connections in turn (that of the watch, then that of the request
// that resumes it), and for back-offs.
constexpr seconds kConverge{150};
constexpr seconds kNoticeWithin{60};
// Each client keeps a varying number of idle connections, and the buffers of watches are as large
// as their last data, so similar rounds differ by up to 6 MB. Real leaks are found by the
// sanitizer, in the nightly run.
constexpr GrowthLimits kLimits{.descriptors = 20, .allocated = 3e6, .resident = 8e6};
#if defined(KINFORMER_TEST_SANITIZED)
constexpr bool kMeasureGrowth = false;  // the sanitizer's allocator keeps freed memory
constexpr bool kMeasureRate = false;    // and is slow
#else
constexpr bool kMeasureGrowth = true;
constexpr bool kMeasureRate = true;
#endif
// Smallest share of the requested writes that a long run must reach to be valid.
constexpr double kLeastOfRate = 0.5;
constexpr seconds kLongRun{600};

struct Options {
  int seconds = 120;
  std::uint32_t seed = 1;
  int rate = 2000;
  int informers = 10;
  int http = 2;
  int longest_stall = 90;
  bool stop_server = false;
};

// Counts warnings and errors by their text.
class LogCounts final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField>) override {
    const std::lock_guard lock(mutex_);
    ++counts_[std::string(message)];
  }
  void Print() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [message, count] : counts_) {
      std::printf("log: %8llu x %s\n", static_cast<unsigned long long>(count), message.c_str());
    }
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> counts_;
};

double SecondsSince(steady_clock::time_point begin) {
  return duration<double>(steady_clock::now() - begin).count();
}

// Controls the server's process through its orders.
class ServerProcess {
 public:
  ServerProcess(const Options& options, const std::string& kubeconfig)
      : process_({"/proc/self/exe", "serve", kubeconfig, std::to_string(options.http),
                  std::to_string(options.rate), std::to_string(options.seed)}) {
    port_ = static_cast<std::uint16_t>(Answer("ready")[0]);
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  void Write() { process_.WriteLine("write"); }
  struct Rest {
    std::string version;
    double writes_per_second = 0;
  };
  Rest BringToRest() {
    process_.WriteLine("rest");
    const std::vector<double> figures = Answer("rests");
    return {std::to_string(static_cast<std::int64_t>(figures[0])), figures[1] / figures[2] * 1e3};
  }
  void Signal(int signal) { process_.Signal(signal); }
  // Ends the server and returns its exit status, which shows what a sanitizer found.
  int End() {
    process_.CloseInput();
    return process_.Wait(seconds(60));
  }

 private:
  std::vector<double> Answer(const std::string& word) {
    std::vector<std::string> seen;
    if (!process_.WaitForLine(word, seconds(120), &seen)) {
      std::cerr << "chaos: the server does not answer\n";
      std::exit(1);
    }
    std::istringstream line(seen.back().substr(word.size()));
    return {std::istream_iterator<double>(line), {}};
  }

  ChildProcess process_;
  std::uint16_t port_ = 0;
};

class Chaos {
 public:
  Chaos(const Options& options, const std::string& folder)
      : options_(options),
        server_(options, folder + "/kubeconfig"),
        proxy_({.server_port = server_.port(),
                .seed = options.seed,
                .longest_stall = seconds(options.longest_stall)}),
        direct_(Config::FromKubeconfigFile(folder + "/kubeconfig").OrExit()),
        proxied_(direct_) {
    proxied_.host = "https://127.0.0.1:" + std::to_string(proxy_.port());
    // Two informers share a client, and with HTTP/2 a connection. The last client speaks JSON.
    for (int i = 0; i < options.informers; ++i) {
      if (i % 2 == 0) clients_.push_back(NewClient(proxied_, i + 2 >= options.informers));
      followers_.push_back(std::make_unique<Follower>(clients_.back(), i));
    }
  }

  // Returns false if a check failed; it has printed which.
  bool Run() {
    const seconds length(std::clamp(options_.seconds / 12, 3, 30));
    const auto end = steady_clock::now() + seconds(options_.seconds);
    int failures = 0;
    for (int round = 1; steady_clock::now() < end; ++round) {
      proxy_.SetRough(true);
      server_.Write();
      std::this_thread::sleep_for(length);
      proxy_.SetRough(false);
      if (!Compare("round " + std::to_string(round))) ++failures;
      ProcessSample sample = SampleProcess();
      sample.descriptors -= std::min(sample.descriptors, proxy_.descriptors());
      // The size of the objects changes from round to round.
      const std::size_t objects = ObjectBytes();
      sample.allocated -= static_cast<double>(objects);
      samples_.push_back(sample);
      PrintProgress(objects);
    }
    if (options_.stop_server && !StopServer()) ++failures;
    Print();
    followers_.clear();
    if (const int status = server_.End(); status != 0) {
      std::printf("FAIL: the server ended with status %d\n", status);
      ++failures;
    }
    if (kMeasureRate && seconds(options_.seconds) >= kLongRun && !WroteEnough()) ++failures;
    if (kMeasureGrowth && samples_.size() >= kGrowthSamples) {
      failures += CountGrowing(samples_, kLimits);
    }
    return failures == 0;
  }

 private:
  Client NewClient(const Config& config, bool json) {
    return Client::NewForConfig(runtime_.env(), config, {.qps = -1, .prefer_json = json}).OrExit();
  }

  bool Compare(const std::string& what) {
    const auto begin = steady_clock::now();
    const ServerProcess::Rest rest = server_.BringToRest();
    rates_.push_back(rest.writes_per_second);
    const ServerState protobuf = ListServer(NewClient(direct_, false));
    const ServerState json = ListServer(NewClient(direct_, true));
    bool equal = true;
    for (std::size_t i = 0; i < followers_.size(); ++i) {
      const bool in_json = i / 2 + 1 == clients_.size();
      const std::string wrong =
          followers_[i]->Check(rest.version, in_json ? json : protobuf, begin + kConverge);
      if (wrong.empty()) continue;
      equal = false;
      std::printf("FAIL: %s, informer %zu: %s\n", what.c_str(), i, wrong.c_str());
    }
    std::printf("%s: %.0f writes/s, %s after %.2f s", what.c_str(), rest.writes_per_second,
                equal ? "all equal" : "NOT equal", SecondsSince(begin));
    return equal;
  }

  [[nodiscard]] bool WroteEnough() const {
    const double mean = rates_.empty() ? 0
                                       : std::accumulate(rates_.begin(), rates_.end(), 0.0) /
                                             static_cast<double>(rates_.size());
    if (mean >= kLeastOfRate * options_.rate) return true;
    std::printf("FAIL: %.0f writes/s on the average of %zu rounds, and %d were asked for\n", mean,
                rates_.size(), options_.rate);
    return false;
  }

  [[nodiscard]] std::size_t ObjectBytes() const {
    std::size_t bytes = 0;
    for (const auto& follower : followers_) bytes += follower->Stats().object_bytes;
    return bytes;
  }

  void PrintProgress(std::size_t objects) {
    const ProcessSample& sample = samples_.back();
    std::printf("; %zu descriptors, %.1f MB, %.3f MB allocated beside %.3f MB of objects\n",
                sample.descriptors, sample.resident / 1e6, sample.allocated / 1e6,
                static_cast<double>(objects) / 1e6);
    std::fflush(stdout);
  }

  // Waits until each informer reports an error; then the server continues.
  bool StopServer() {
    server_.Write();
    std::this_thread::sleep_for(seconds(1));
    server_.Signal(SIGSTOP);
    const auto begin = steady_clock::now();
    std::vector<double> noticed(followers_.size(), 0);
    while (std::count(noticed.begin(), noticed.end(), 0) > 0 &&
           steady_clock::now() - begin < kNoticeWithin) {
      std::this_thread::sleep_for(milliseconds(10));
      for (std::size_t i = 0; i < followers_.size(); ++i) {
        if (noticed[i] > 0 || !followers_[i]->Status().error) continue;
        noticed[i] = SecondsSince(begin);
        PrintStatus("informer " + std::to_string(i) + " has noticed", *followers_[i], begin);
      }
    }
    bool all = true;
    for (std::size_t i = 0; i < followers_.size(); ++i) {
      if (noticed[i] > 0) continue;
      all = false;
      PrintStatus("FAIL: informer " + std::to_string(i) + " has not noticed", *followers_[i],
                  begin);
    }
    server_.Signal(SIGCONT);
    const bool equal = Compare("when it goes on");
    std::printf("\n");
    return all && equal;
  }
  static void PrintStatus(const std::string& what, const Follower& follower,
                          steady_clock::time_point stopped) {
    const InformerStatus status = follower.Status();
    std::printf(
        "%s after %.1f s that the server is stopped: %s, its news %.1f s old, error \"%s\"\n",
        what.c_str(), SecondsSince(stopped), std::string(ToString(status.state)).c_str(),
        duration<double>(status.progress_age.value_or(Duration(0))).count(),
        status.ErrorText().c_str());
  }

  void Print() const {
    InformerStats sum;
    for (const auto& follower : followers_) {
      const InformerStats stats = follower->Stats();
      sum.delivered += stats.delivered;
      sum.coalesced += stats.coalesced;
      sum.dropped += stats.dropped;
      sum.lists += stats.lists;
      sum.watch_lists += stats.watch_lists;
      sum.watches += stats.watches;
      sum.errors += stats.errors;
    }
    std::printf(
        "informers: %llu events delivered, %llu coalesced, %llu dropped; %llu lists, %llu watches, "
        "%llu errors\n",
        static_cast<unsigned long long>(sum.delivered),
        static_cast<unsigned long long>(sum.coalesced),
        static_cast<unsigned long long>(sum.dropped),
        static_cast<unsigned long long>(sum.AllLists()),
        static_cast<unsigned long long>(sum.watches), static_cast<unsigned long long>(sum.errors));
    const ChaosProxyCounts counts = proxy_.Counts();
    std::printf(
        "proxy: %llu connections, %llu refused, %llu cut, %llu stalled, %llu dripped; %.1f MB\n",
        static_cast<unsigned long long>(counts.connections),
        static_cast<unsigned long long>(counts.refused),
        static_cast<unsigned long long>(counts.cut),
        static_cast<unsigned long long>(counts.stalled),
        static_cast<unsigned long long>(counts.dripped), static_cast<double>(counts.bytes) / 1e6);
    log_->Print();
  }

  const Options options_;
  const std::shared_ptr<LogCounts> log_ = std::make_shared<LogCounts>();
  ServerProcess server_;
  ChaosProxy proxy_;
  const Config direct_;
  Config proxied_;
  Runtime runtime_{{.name = "chaos", .log = log_}};
  std::vector<Client> clients_;
  std::vector<std::unique_ptr<Follower>> followers_;
  std::vector<ProcessSample> samples_;
  std::vector<double> rates_;  // writes a second, by round
};

std::optional<Options> Parse(const std::vector<std::string>& arguments) {
  Options options;
  const std::map<std::string, int*> numbers = {{"--seconds", &options.seconds},
                                               {"--rate", &options.rate},
                                               {"--informers", &options.informers},
                                               {"--http", &options.http},
                                               {"--longest-stall", &options.longest_stall}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const bool more = i + 1 < arguments.size();
    if (name == "--stop-server") {
      options.stop_server = true;
    } else if (name == "--seed" && more) {
      options.seed = static_cast<std::uint32_t>(std::atoi(arguments[++i].c_str()));
    } else if (numbers.contains(name) && more) {
      *numbers.at(name) = std::atoi(arguments[++i].c_str());
    } else {
      return std::nullopt;
    }
  }
  for (const auto& [name, number] : numbers) {
    if (*number <= 0) return std::nullopt;
  }
  if (options.http > 2) return std::nullopt;
  return options;
}

// A temporary folder for the kubeconfig; removed by the destructor.
class Folder {
 public:
  Folder() {
    path_ = (std::filesystem::temp_directory_path() / "chaos-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int Main(const std::vector<std::string>& arguments) {
  // Chaos starts its own program with these arguments as the server.
  if (arguments.size() == 5 && arguments[0] == "serve") {
    return RunChaosServer({.kubeconfig = arguments[1],
                           .http2 = arguments[2] == "2",
                           .rate = std::atoi(arguments[3].c_str()),
                           .seed = static_cast<std::uint32_t>(std::atoi(arguments[4].c_str()))});
  }
  const std::optional<Options> options = Parse(arguments);
  if (!options) {
    std::cerr << "usage: chaos [--seconds N] [--seed N] [--rate N] [--informers N] [--http 1|2] "
                 "[--longest-stall SECONDS] [--stop-server]\n";
    return 2;
  }
  std::printf("chaos: %d s, seed %u, %d writes/s, %d informers, HTTP/%d\n", options->seconds,
              options->seed, options->rate, options->informers, options->http);
  const Folder folder;
  Chaos chaos(*options, folder.path());
  const bool good = chaos.Run();
  std::printf("%s\n", good ? "chaos: passed" : "chaos: FAILED");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace kinformer::testing

int main(int argc, char** argv) { return kinformer::testing::Main({argv + 1, argv + argc}); }
