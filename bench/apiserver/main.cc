// Measures the API server under load. Its CPU time and memory are measured without those of the
// load, which runs in another process:
//
//   bench_apiserver watch [--watchers 10000] [--namespaces 100] [--batch 64] [--rounds 5]
//                         [--bytes 900] [--tls|--http2]
//   bench_apiserver list [--readers 4] [--objects 1000000] [--protobuf]
//   bench_apiserver get|create [--clients 50] [--batch 16] [--requests 500000] [--bytes 200]
//                              [--tls]
//   bench_apiserver create --resource configmaps|pods|replicas|widgets [--protobuf]
//                          [--no-defaulting] [--no-validation] [--field-owners] ...
//   bench_apiserver create --data FOLDER ...
//   bench_apiserver reopen --data FOLDER [--objects 1000000]
//   bench_apiserver start --kinformer build/release/bin/kinformer
//
// reopen: the time until a server has that many small pods again from its data directory, or from a
// snapshot. The folder must not exist, and is removed.
// watch: events go to all watchers in batches; with `--namespaces`, each watches one of that many.
// list: concurrent lists of that many small pods.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <new>
#include <openssl/crypto.h>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/data_directory.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/runtime.h"
#include "kinformer/json/json.h"

#include "apiserver/shared.h"

namespace kinformer::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
const GroupVersionResource kPods{"", "v1", "pods"};

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}
// User and system time of this process, which runs the server.
double CpuSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}
double ThreadSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Returns a value of /proc/self/status, in bytes.
double Status(const char* name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name))
      return std::strtod(line.c_str() + std::strlen(name) + 1, nullptr) * 1024;
  }
  return 0;
}
// Bytes that OpenSSL has allocated, including malloc's overhead.
std::atomic<std::size_t> openssl_bytes{0};

std::size_t SizeOf(void* at) {
  return at == nullptr ? 0 : ::malloc_usable_size(at) + sizeof(void*);
}

// The hooks get OpenSSL's file and line of each call, which are ignored.
void CountOpenSsl() {
  CRYPTO_set_mem_functions(
      [](std::size_t size, const char*, int) {
        void* const at = std::malloc(size);
        openssl_bytes += SizeOf(at);
        return at;
      },
      [](void* old, std::size_t size, const char*, int) {
        openssl_bytes -= SizeOf(old);
        void* const at = std::realloc(old, size);
        openssl_bytes += SizeOf(at);
        return at;
      },
      [](void* at, const char*, int) {
        openssl_bytes -= SizeOf(at);
        std::free(at);
      });
}

void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

class Bench {
 public:
  Bench(Settings& settings, Shared& shared) : settings_(settings), shared_(shared) { Begin(); }
  ~Bench() {
    http_.reset();
    OnLoop([&] { api_.reset(); });
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  int Watch();
  int List();
  int Requests();
  int Reopen();

 private:
  // Makes the server, which takes up what the data directory has.
  void Begin() {
    std::shared_ptr<apiserver::Storage> storage;
    if (!settings_.data.empty()) {
      storage = apiserver::OpenDataDirectory(runtime_.env(), settings_.data).OrExit();
    }
    OnLoop([&] {
      api_ = std::make_unique<apiserver::ApiServer>(
          runtime_.env(), apiserver::ApiServerOptions{.storage = std::move(storage),
                                                      .future_version_wait = 1h,
                                                      .validation = settings_.validation,
                                                      .defaulting = settings_.defaulting,
                                                      .field_owners = settings_.field_owners,
                                                      .bootstrap_objects = false});
    });
  }
  [[nodiscard]] double Count() const { return static_cast<double>(settings_.objects); }
  [[nodiscard]] double FolderBytes() const {
    double bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(settings_.data)) {
      bytes += static_cast<double>(file.file_size());
    }
    return bytes;
  }
  template <class F>
  void OnLoop(const F& work) {
    std::atomic<bool> done{false};
    runtime_.env().loop().Post([&] {
      work();
      done.store(true);
      done.notify_one();
    });
    done.wait(false);
  }
  void Listen() {
    http_ = apiserver::HttpServer::Listen(runtime_.env(), *api_, {.tls = settings_.tls}).OrExit();
    shared_.port = http_->port();
  }
  static void Await(const std::atomic<std::uint64_t>& counter, std::uint64_t value) {
    while (counter.load() < value) std::this_thread::sleep_for(1ms);
  }
  void Put(const std::string& namespace_, std::size_t number) {
    auto object =
        json::Parse(ConfigMapJson(namespace_, number, settings_.bytes + round_ % 2)).OrExit();
    (void)(round_ > 0 ? api_->Update(kConfigMaps, std::move(object))
                      : api_->Create(kConfigMaps, std::move(object)))
        .OrExit();
  }

  Settings& settings_;
  Shared& shared_;
  Runtime runtime_{{.name = "bench"}};
  std::unique_ptr<apiserver::ApiServer> api_;
  std::unique_ptr<apiserver::HttpServer> http_;
  std::size_t round_ = 0;  // changes each time, since an update without a change has no effect
};

int Bench::Watch() {
  const std::size_t scopes = std::max<std::size_t>(settings_.namespaces, 1);
  OnLoop([&] {
    for (std::size_t i = 0; i < scopes; ++i) {
      const std::string manifest =
          "{apiVersion: v1, kind: Namespace, metadata: {name: " + NamespaceName(i) + "}}";
      (void)api_->Load(manifest).OrExit();
      for (std::size_t n = 0; n < settings_.batch; ++n) Put(NamespaceName(i), n);
    }
  });
  OnLoop([&] { shared_.wanted = static_cast<std::uint64_t>(api_->current_resource_version()); });
  ::malloc_trim(0);
  const double before = Status("VmRSS:");
  const std::size_t heap = ::mallinfo2().uordblks;
  const std::size_t openssl = openssl_bytes;
  Listen();
  Await(shared_.connected, settings_.connections);
  std::this_thread::sleep_for(200ms);
  const double idle = Status("VmRSS:");
  const auto each = [&](double bytes) {
    return bytes / static_cast<double>(settings_.connections);
  };
  std::printf(
      "%zu watchers: %.0f bytes each, beside the kernel's socket; %.0f in use on the heap, %.0f of "
      "them OpenSSL's\n",
      settings_.connections, each(idle - before),
      each(static_cast<double>(::mallinfo2().uordblks - heap)),
      each(static_cast<double>(openssl_bytes - openssl)));

  const double cpu = CpuSeconds();
  const auto start = Clock::now();
  double writing = 0;
  std::uint64_t expected = shared_.delivered.load();
  const std::uint64_t first = expected;
  const std::uint64_t bytes = shared_.bytes.load();
  for (std::size_t round = 0; round < settings_.rounds; ++round) {
    round_ = round + 1;
    OnLoop([&] {
      const double begin = ThreadSeconds();
      for (std::size_t i = 0; i < scopes; ++i) {
        for (std::size_t n = 0; n < settings_.batch; ++n) Put(NamespaceName(i), n);
      }
      writing += ThreadSeconds() - begin;
    });
    expected += settings_.batch * settings_.connections;
    Await(shared_.delivered, expected);
  }
  const double used = CpuSeconds() - cpu;
  const std::chrono::duration<double> took = Clock::now() - start;
  const auto events = static_cast<double>(expected - first);
  std::printf(
      "%.0f events of %.0f bytes in %.2f s; server's CPU %.2f s (%.2f s of it to make them): %.0f "
      "events per CPU second, %.0f without making them\n",
      events, static_cast<double>(shared_.bytes.load() - bytes) / events, took.count(), used,
      writing, events / used, events / (used - writing));
  std::this_thread::sleep_for(200ms);
  std::printf("afterwards %.0f bytes for each watcher\n",
              (Status("VmRSS:") - idle) / static_cast<double>(settings_.connections));
  return 0;
}

int Bench::List() {
  const auto loading = Clock::now();
  for (std::size_t from = 0; from < settings_.objects; from += 1000) {
    OnLoop([&] {
      const std::size_t end = std::min(settings_.objects, from + 1000);
      for (std::size_t n = from; n < end; ++n) {
        auto pod = json::Parse(PodJson("default", n)).OrExit();
        (void)api_->Create(kPods, std::move(pod)).OrExit();
      }
    });
  }
  const std::chrono::duration<double> loaded = Clock::now() - loading;
  ::malloc_trim(0);
  const double store = Status("VmRSS:");
  ResetPeak();
  std::printf("%zu pods in %.1f s: %.0f bytes of memory each\n", settings_.objects, loaded.count(),
              store / static_cast<double>(settings_.objects));
  const double cpu = CpuSeconds();
  const auto start = Clock::now();
  Listen();
  Await(shared_.delivered, settings_.connections);
  const std::chrono::duration<double> took = Clock::now() - start;
  const auto lists = static_cast<double>(settings_.connections);
  const double body = static_cast<double>(shared_.bytes.load()) / lists;
  std::printf(
      "%.0f lists at once of %.2f GB (%.0f bytes a pod) in %.2f s; server's CPU %.2f s; %.1f MB "
      "above the store\n",
      lists, body / 1e9, body / static_cast<double>(settings_.objects), took.count(),
      CpuSeconds() - cpu, (Status("VmHWM:") - store) / 1e6);
  return 0;
}

int Bench::Reopen() {
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  auto start = Clock::now();
  for (std::size_t from = 0; from < settings_.objects; from += 1000) {
    OnLoop([&] {
      const std::size_t end = std::min(settings_.objects, from + 1000);
      for (std::size_t n = from; n < end; ++n) {
        auto pod = json::Parse(PodJson("default", n)).OrExit();
        (void)api_->Create(kPods, std::move(pod)).OrExit();
      }
    });
  }
  std::printf("%zu pods made in %.1f s\n", settings_.objects, since(start));
  start = Clock::now();
  OnLoop([&] { api_.reset(); });
  std::printf("kept %.1f s later: %.0f bytes each\n", since(start), FolderBytes() / Count());

  start = Clock::now();
  double cpu = CpuSeconds();
  Begin();
  const double opened = since(start);
  std::size_t there = 0;
  OnLoop([&] { there = api_->ObjectCount(kPods); });
  std::printf("%zu pods from the data directory in %.2f s; CPU %.2f s\n", there, opened,
              CpuSeconds() - cpu);
  if (there != settings_.objects) return 1;

  std::optional<apiserver::StateSnapshot> snapshot;
  start = Clock::now();
  cpu = CpuSeconds();
  OnLoop([&] { snapshot = api_->Snapshot(); });
  std::printf("snapshot of %.0f bytes each in %.2f s; CPU %.2f s\n",
              static_cast<double>(snapshot->bytes().size()) / Count(), since(start),
              CpuSeconds() - cpu);
  OnLoop([&] { api_.reset(); });
  settings_.data.clear();
  Begin();
  start = Clock::now();
  cpu = CpuSeconds();
  OnLoop([&] { api_->Restore(*snapshot).OrExit(); });
  std::printf("restored in %.2f s; CPU %.2f s\n", since(start), CpuSeconds() - cpu);
  return 0;
}

int Bench::Requests() {
  if (settings_.mode == "get") OnLoop([&] { Put("default", 0); });
  if (settings_.resource == "widgets") {
    OnLoop([&] { (void)api_->Load(kWidgetDefinition).OrExit(); });
  }
  shared_.wanted = settings_.objects / settings_.connections * settings_.connections;
  const double cpu = CpuSeconds();
  const auto start = Clock::now();
  Listen();
  Await(shared_.delivered, shared_.wanted.load());
  const std::chrono::duration<double> took = Clock::now() - start;
  const double used = CpuSeconds() - cpu;
  const auto count = static_cast<double>(shared_.wanted.load());
  std::printf("%.0f %s requests in %.2f s; server's CPU %.2f s: %.0f per CPU second; %llu failed\n",
              count, settings_.mode.c_str(), took.count(), used, count / used,
              static_cast<unsigned long long>(shared_.failed.load()));
  return shared_.failed.load() == 0 ? 0 : 1;
}

// Time from the start of the program until it prints the line with its address, which it does once
// it serves.
int Start(const Settings& settings) {
  std::vector<double> times;
  for (std::size_t round = 0; round < 20; ++round) {
    int pipe[2];
    if (::pipe(pipe) != 0) return 1;
    const auto start = Clock::now();
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(pipe[1], 1);
      ::execl(settings.kinformer.c_str(), "kinformer", "apiserver", nullptr);
      std::_Exit(127);
    }
    ::close(pipe[1]);
    std::string text;
    char buffer[256];
    while (text.find("serving at") == text.npos) {
      const ssize_t got = ::read(pipe[0], buffer, sizeof buffer);
      if (got <= 0) {
        std::fprintf(stderr, "%s does not start\n", settings.kinformer.c_str());
        return 1;
      }
      text.append(buffer, static_cast<std::size_t>(got));
    }
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(pipe[0]);
  }
  std::sort(times.begin(), times.end());
  std::printf("start to ready: %.1f ms at best, %.1f ms median of %zu\n", times.front(),
              times[times.size() / 2], times.size());
  return 0;
}

int Main(int argc, char** argv) {
  Settings settings;
  if (argc > 1) settings.mode = argv[1];
  const bool requests = settings.mode == "get" || settings.mode == "create";
  if (requests) {
    settings.connections = 50;
    settings.batch = 16;
    settings.objects = 500'000;
    settings.bytes = 200;
  } else if (settings.mode == "list") {
    settings.connections = 4;
  }
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--protobuf") {
      settings.protobuf = true;
      continue;
    }
    if (name == "--no-defaulting") {
      settings.defaulting = false;
      continue;
    }
    if (name == "--field-owners") {
      settings.field_owners = true;
      continue;
    }
    if (name == "--no-validation") {
      settings.validation = false;
      continue;
    }
    if (name == "--tls" || name == "--http2") {
      settings.tls = true;
      settings.http2 = name == "--http2";
      continue;
    }
    if (i + 1 == argc) {
      std::fprintf(stderr, "%s needs a value\n", argv[i]);
      return 2;
    }
    const char* const value = argv[++i];
    const std::size_t number = std::strtoull(value, nullptr, 10);
    if (name == "--watchers" || name == "--readers" || name == "--clients") {
      settings.connections = number;
    } else if (name == "--namespaces") {
      settings.namespaces = number;
    } else if (name == "--batch") {
      settings.batch = number;
    } else if (name == "--rounds") {
      settings.rounds = number;
    } else if (name == "--bytes") {
      settings.bytes = number;
    } else if (name == "--objects" || name == "--requests") {
      settings.objects = number;
    } else if (name == "--resource") {
      settings.resource = value;
    } else if (name == "--data") {
      settings.data = value;
    } else if (name == "--kinformer") {
      settings.kinformer = value;
    } else {
      std::fprintf(stderr, "unknown option %s\n", name.c_str());
      return 2;
    }
  }
  if (settings.mode == "start") return Start(settings);
  if (settings.mode == "watch" && settings.tls) CountOpenSsl();
  const bool reopens = settings.mode == "reopen";
  if (settings.mode != "watch" && settings.mode != "list" && !requests && !reopens) {
    std::fprintf(stderr, "usage: bench_apiserver watch|list|get|create|reopen|start [options]\n");
    return 2;
  }
  const std::string folder = settings.data;
  if ((reopens && folder.empty()) || (!folder.empty() && std::filesystem::exists(folder))) {
    std::fprintf(stderr, "reopen needs --data FOLDER, one that does not exist\n");
    return 2;
  }
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);

  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  Shared& shared = *new (memory) Shared;
  shared.wanted = requests ? settings.objects / settings.connections * settings.connections : 0;
  // Before any thread is started.
  const pid_t child = ::fork();
  if (child == 0) RunLoad(settings, shared);
  int status = 0;
  {
    Bench bench(settings, shared);
    status = settings.mode == "watch"  ? bench.Watch()
             : settings.mode == "list" ? bench.List()
             : reopens                 ? bench.Reopen()
                                       : bench.Requests();
    ::kill(child, SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  if (!folder.empty()) std::filesystem::remove_all(folder);
  return status;
}

}  // namespace
}  // namespace kinformer::bench

int main(int argc, char** argv) { return kinformer::bench::Main(argc, argv); }
