#include <iostream>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/data_directory.h"
#include "kinformer/apiserver/etcd.h"
#include "kinformer/apiserver/fake_kubelet.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/apiserver/recording.h"
#include "kinformer/apiserver/webhook_network.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/stop.h"
#include "kinformer/base/task.h"
#include "kinformer/client/config.h"
#include "kinformer/client/http_transport.h"

#include "cli/apiserver_flags.h"
#include "cli/commands.h"
#include "cli/end_of_input.h"
#include "cli/kubectl_habits.h"
#include "cli/manifests.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "cli/saved_files.h"

namespace kinformer::cli {
namespace {

// Runs `work` on the server's loop and waits for it.
template <class F>
void OnLoop(Env& env, F work) {
  const std::unique_ptr<Monitor> monitor = env.NewMonitor();
  bool done = false;
  env.loop().Post([&] {
    work();
    const MonitorLock lock(*monitor);
    done = true;
    monitor->NotifyAll();
  });
  MonitorLock lock(*monitor);
  // NOLINTNEXTLINE(bugprone-infinite-loop): the posted task sets it, on the loop's thread
  while (!done) lock.Wait();
}

// A fake kubelet whose logs have a line, so that a first `kubectl logs` shows something.
class FirstLineKubelet final : public apiserver::FakeKubelet {
 public:
  using FakeKubelet::FakeKubelet;

 private:
  Task<Result<void>> Logs(apiserver::PodContainer container, apiserver::LogRequest request,
                          apiserver::StreamOutput out) override {
    if (!request.previous) {
      const ObjectName& pod = container.pod.name;
      std::string line = "container " + container.name + " of pod " + pod.ToString() +
                         ": the log of kinformer's fake kubelet\n";
      Result<void> written = co_await out.Write(std::move(line));
      if (!written) co_return written;
    }
    co_return co_await FakeKubelet::Logs(std::move(container), std::move(request), out);
  }
};

// The served cluster: an API server, a recording, or a remote server that is being recorded. Made,
// used and destroyed on the loop.
class Served {
 public:
  explicit Served(Env& env) : env_(env) {}
  ~Served() {
    OnLoop(env_, [this] {
      server_.reset();
      replay_.reset();
      recorder_.reset();
    });
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  Result<void> Begin(const ApiServerFlags& flags, std::vector<apiserver::TokenUser> token_users,
                     std::shared_ptr<const apiserver::ServiceAccountKeys> keys,
                     std::shared_ptr<const apiserver::WorkloadScript> script, Audit audit) {
    std::shared_ptr<Transport> upstream;
    if (!flags.record.empty()) {
      Result<std::shared_ptr<Transport>> transport = Upstream(flags);
      if (!transport) return Error(transport.error()).WithContext("--upstream " + flags.upstream);
      upstream = *std::move(transport);
    }
    std::shared_ptr<apiserver::Storage> storage;
    if (!flags.data.empty()) {
      Result<std::shared_ptr<apiserver::Storage>> opened = OpenData(flags);
      if (!opened) return Error(opened.error()).WithContext("--data");
      storage = *std::move(opened);
    }
    std::shared_ptr<apiserver::SharedStorage> shared;
    if (!flags.etcd.servers.empty()) {
      const apiserver::ApiServerOptions options = ServerOptionsOf(flags, env_.WallNow());
      Result<std::string> password = std::string();
      if (!flags.etcd.password_file.empty()) {
        password = ReadFile("--etcd-password-file", flags.etcd.password_file);
      }
      if (!password) return password.error();
      Result<std::shared_ptr<apiserver::SharedStorage>> opened = apiserver::OpenEtcd(
          env_, EtcdOptionsOf(flags.etcd, *std::move(password), options.history_events));
      if (!opened) return Error(opened.error()).WithContext("--etcd-servers " + flags.etcd.servers);
      shared = *std::move(opened);
    }
    Result<void> begun;
    OnLoop(env_, [&] {
      if (upstream != nullptr) {
        begun = Keep(recorder_, apiserver::Recorder::Open(env_, upstream, flags.record,
                                                          {.include_secrets = flags.record_secrets,
                                                           .allow_writes = flags.record_writes}));
      } else if (!flags.replay.empty()) {
        begun =
            Keep(replay_, apiserver::Replay::Open(env_, flags.replay,
                                                  {.speed = ParseSpeed(flags.speed).value_or(1)}));
      } else {
        apiserver::ApiServerOptions options = ServerOptionsOf(flags, env_.WallNow());
        options.token_users = std::move(token_users);
        options.service_account_keys = std::move(keys);
        options.simulate_workloads = std::move(script);
        options.audit_log = std::move(audit.log);
        options.audit_policy = std::move(audit.policy);
        options.storage = std::move(storage);
        options.shared_storage = std::move(shared);
        options.webhook_transport = apiserver::WebhookNetwork(env_);
        if (flags.fake_kubelet) options.kubelet = std::make_shared<FirstLineKubelet>(env_);
        server_ = std::make_unique<apiserver::ApiServer>(env_, std::move(options));
      }
    });
    return begun;
  }

  [[nodiscard]] Handler& handler() const {
    if (recorder_ != nullptr) return *recorder_;
    if (replay_ != nullptr) return *replay_;
    return *server_;
  }
  // Null if it is not an embedded server.
  [[nodiscard]] apiserver::ApiServer* server() const { return server_.get(); }
  [[nodiscard]] const apiserver::Replay* replay() const { return replay_.get(); }

 private:
  template <class T>
  static Result<void> Keep(std::unique_ptr<T>& place, Result<std::unique_ptr<T>> made) {
    if (!made) return made.error();
    place = *std::move(made);
    return {};
  }

  Result<std::shared_ptr<apiserver::Storage>> OpenData(const ApiServerFlags& flags) {
    const apiserver::ApiServerOptions options = ServerOptionsOf(flags, env_.WallNow());
    return apiserver::OpenDataDirectory(
        env_, flags.data,
        {.history_events = options.history_events, .history_age = options.history_age});
  }

  Result<std::shared_ptr<Transport>> Upstream(const ApiServerFlags& flags) {
    const Result<Config> config = Config::LoadDefault({.kubeconfig = flags.upstream});
    if (!config) return config.error();
    const Result<HttpTransportOptions> options = TransportOptionsFor(*config);
    if (!options) return options.error();
    Result<std::unique_ptr<Transport>> transport = NewHttpTransport(env_, *options);
    if (!transport) return transport.error();
    return std::shared_ptr<Transport>(*std::move(transport));
  }

  Env& env_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::unique_ptr<apiserver::Replay> replay_;
  std::unique_ptr<apiserver::Recorder> recorder_;
};

// Writes all that is stored to the file of --save.
Result<void> Save(Env& env, const Served& served, const std::string& path) {
  std::optional<apiserver::StateSnapshot> snapshot;
  OnLoop(env, [&] { snapshot = served.server()->Snapshot(); });
  if (Result<void> written = snapshot->WriteFile(path); !written) {
    return Error(written.error()).WithContext("--save");
  }
  std::cout << "saved " << snapshot->object_count() << " objects to " << path << std::endl;
  return {};
}

// Loads what --load names: a saved state, and then manifests.
Result<void> Load(Env& env, const Served& served, std::vector<std::string> paths) {
  if (paths.empty()) return {};
  const Result<std::optional<apiserver::StateSnapshot>> state = TakeSavedState(paths);
  if (!state) return state.error();
  if (*state) {
    Result<void> restored;
    OnLoop(env, [&] { restored = served.server()->Restore(**state); });
    if (!restored) return Error(restored.error()).WithContext("--load");
    std::cout << "restored " << (*state)->object_count() << " objects\n";
    if (paths.empty()) return {};
  }
  std::vector<std::string> repeated;
  const Result<std::vector<Manifest>> manifests = ReadManifestsToLoad(paths, std::cin, repeated);
  if (!manifests) return manifests.error();
  for (const std::string& warning : repeated) {
    std::cerr << "warning: " << Printable(warning) << '\n';
  }
  for (const Manifest& manifest : *manifests) {
    std::optional<Result<std::size_t>> loaded;
    std::vector<std::string> warnings;
    OnLoop(env,
           [&] { loaded.emplace(served.server()->Load(manifest.object.Dump(), {}, &warnings)); });
    if (!*loaded) return Error(loaded->error()).WithContext(manifest.place());
    for (const std::string& warning : warnings) {
      std::cerr << "warning: " << Printable(manifest.place() + ": " + warning) << '\n';
    }
  }
  std::cout << "loaded " << manifests->size() << " objects\n";
  return {};
}

// Says what a recording that is replayed has, and where it breaks off.
void SayReplay(const ApiServerFlags& flags, const apiserver::Replay& replay) {
  std::cout << "replaying " << replay.exchanges() << " answers from " << flags.replay << '\n';
  if (const std::size_t unread = replay.unread_bytes(); unread > 0) {
    std::cerr << "warning: " << flags.replay << " breaks off: " << unread
              << " bytes at its end cannot be read\n";
  }
  if (const std::size_t unfinished = replay.unfinished(); unfinished > 0) {
    std::cerr << "warning: " << flags.replay << " breaks off in the middle of " << unfinished
              << (unfinished == 1 ? " answer" : " answers") << ", beside watches\n";
  }
}

int RunApiServer(const ApiServerFlags& flags) {
  const StopSource stop = StopOnSignals();
  std::optional<SaveRequests> saves;
  if (!flags.save.empty()) saves.emplace();
  if (Result<void> checked = CheckApiServerFlags(flags); !checked) {
    return UsageError(checked.error().message());
  }
  const Result<apiserver::HttpServerOptions> http_options = HttpOptionsOf(flags);
  if (!http_options) return Fail(http_options.error());
  if (!flags.save.empty()) {
    if (Result<void> can = CheckCanSave(flags.save); !can) return Fail(can.error());
  }
  Result<std::vector<apiserver::TokenUser>> token_users = TokenUsersOf(flags);
  if (!token_users) return Fail(token_users.error());
  auto keys = ServiceAccountKeysOf(flags);
  if (!keys) return Fail(keys.error());

  Result<std::shared_ptr<const apiserver::WorkloadScript>> script = WorkloadScriptOf(flags);
  if (!script) return Fail(script.error());
  Result<Audit> audit = OpenAudit(flags.audit);
  if (!audit) return Fail(audit.error());

  Runtime runtime;
  Env& env = runtime.env();
  Served served(env);
  if (Result<void> begun = served.Begin(flags, *std::move(token_users), *std::move(keys),
                                        *std::move(script), *std::move(audit));
      !begun) {
    return Fail(begun.error());
  }

  if (Result<void> loaded = Load(env, served, flags.load); !loaded) return Fail(loaded.error());

  Result<std::unique_ptr<apiserver::HttpServer>> http =
      apiserver::HttpServer::Listen(env, served.handler(), *http_options);
  if (!http) return Fail(http.error());
  if (served.replay() != nullptr) SayReplay(flags, *served.replay());
  if (!flags.record.empty()) std::cout << "recording to " << flags.record << '\n';
  std::cout << "serving at " << (*http)->url() << '\n';
  if (!flags.kubeconfig_out.empty()) {
    if (Result<void> written = (*http)->WriteKubeconfig(flags.kubeconfig_out); !written) {
      return Fail(Error(written.error()).WithContext("--kubeconfig-out " + flags.kubeconfig_out));
    }
    std::cout << "kubeconfig in " << flags.kubeconfig_out << '\n';
    const bool others_certificates = !flags.client_ca_file.empty() || !flags.tls_cert_file.empty();
    if (others_certificates && http_options->bearer_token.empty()) {
      std::cerr << "warning: the kubeconfig names no user: add a client certificate "
                << (flags.client_ca_file.empty() ? "" : "that --client-ca-file has signed ")
                << "to it, or give the server a token\n";
    }
    if (!http_options->bearer_token.empty() && (*http)->url().starts_with("http://")) {
      std::cerr << "warning: clients send a kubeconfig's token over https only: add --tls\n";
    }
  }
  std::cout.flush();
  std::optional<StopAtEndOfInput> input;
  if (flags.stop_with_stdin) input.emplace(STDIN_FILENO, stop);
  while (saves && saves->Next(stop)) {
    if (Result<void> saved = Save(env, served, flags.save); !saved) (void)Fail(saved.error());
  }
  stop.Wait();
  // Ends watches cleanly and asks clients to disconnect; those that stay are cut off.
  OnLoop(env, [&] {
    if (served.server() != nullptr) served.server()->CloseWatches();
  });
  (*http)->Shutdown(std::chrono::milliseconds(500));
  if (flags.save.empty()) return 0;
  const Result<void> saved = Save(env, served, flags.save);
  return saved ? 0 : Fail(saved.error());
}

}  // namespace

void RegisterApiServer(CommandLine& line) {
  auto flags = std::make_shared<ApiServerFlags>();
  Command& command =
      line.Add("apiserver", "Run the embedded Kubernetes API server, for tests and trials");
  AddApiServerFlags(command, *flags);
  AddServerHabits(command);
  command.Run([flags] { return RunApiServer(*flags); });
}

}  // namespace kinformer::cli
