#include <charconv>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/apiserver/recording.h"
#include "kinformer/config.h"
#include "kinformer/http_transport.h"
#include "kinformer/runtime.h"
#include "kinformer/stop.h"

#include "cli/commands.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

struct ApiServerFlags {
  std::string listen{"127.0.0.1:0"};
  std::string kubeconfig_out{};
  std::vector<std::string> load{};
  bool tls = false;
  std::string token{};
  std::string max_streams{"100"};
  bool no_http2 = false;
  bool debug_endpoints = false;
  bool pod_grace = false;
  std::string record{};
  std::string upstream{};
  bool record_secrets = false;
  std::string replay{};
  std::string speed{"1"};
};

// "127.0.0.1:6443", "[::1]:6443", ":6443".
Result<void> ParseListen(const std::string& text, apiserver::HttpServerOptions& options) {
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || failure != std::errc() || end != port.data() + port.size() ||
      number > 65535) {
    return Error(Reason::kInvalidArgument, "--listen \"" + text +
                                               "\" is not ADDRESS:PORT, such as 127.0.0.1:6443; "
                                               "port 0 takes any that is free");
  }
  std::string address = text.substr(0, colon);
  if (address.size() > 1 && address.front() == '[' && address.back() == ']') {
    address = address.substr(1, address.size() - 2);
  }
  if (!address.empty()) options.address = address;
  options.port = static_cast<std::uint16_t>(number);
  return {};
}

// Runs `work` on the loop, where the server lives, and waits for it.
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

// What answers: an API server, a recording of one, or one elsewhere that is recorded. Made and destroyed on the loop, where it
// lives.
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

  Result<void> Begin(const ApiServerFlags& flags) {
    std::shared_ptr<Transport> upstream;
    if (!flags.record.empty()) {
      Result<std::shared_ptr<Transport>> transport = Upstream(flags);
      if (!transport) return Error(transport.error()).WithContext("--upstream " + flags.upstream);
      upstream = *std::move(transport);
    }
    Result<void> begun;
    OnLoop(env_, [&] {
      if (upstream != nullptr) {
        begun =
            Keep(recorder_, apiserver::Recorder::Open(env_, upstream, flags.record,
                                                      {.include_secrets = flags.record_secrets}));
      } else if (!flags.replay.empty()) {
        begun = Keep(replay_, apiserver::Replay::Open(env_, flags.replay,
                                                      {.speed = Speed(flags.speed).value_or(1)}));
      } else {
        server_ = std::make_unique<apiserver::ApiServer>(
            env_, apiserver::ApiServerOptions{.pod_grace = flags.pod_grace,
                                              .debug_endpoints = flags.debug_endpoints});
      }
    });
    return begun;
  }

  [[nodiscard]] Handler& handler() const {
    if (recorder_ != nullptr) return *recorder_;
    if (replay_ != nullptr) return *replay_;
    return *server_;
  }
  // Null where there is none of our own.
  [[nodiscard]] apiserver::ApiServer* server() const { return server_.get(); }
  [[nodiscard]] const apiserver::Replay* replay() const { return replay_.get(); }

  // 0 for "max".
  static std::optional<double> Speed(const std::string& text) {
    if (text == "max") return 0;
    double speed = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), speed);
    if (failure != std::errc() || end != text.data() + text.size() || !(speed > 0)) {
      return std::nullopt;
    }
    return speed;
  }

 private:
  template <class T>
  static Result<void> Keep(std::unique_ptr<T>& place, Result<std::unique_ptr<T>> made) {
    if (!made) return made.error();
    place = *std::move(made);
    return {};
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

// Options that do not go together.
Result<void> Check(const ApiServerFlags& flags) {
  const auto wrong = [](const std::string& text) { return Error(Reason::kInvalidArgument, text); };
  if (flags.record.empty() != flags.upstream.empty()) {
    return wrong(
        "--record FILE and --upstream KUBECONFIG go together: what to write, and whom to record");
  }
  if (!flags.record.empty() && !flags.replay.empty()) {
    return wrong("--record and --replay do not go together");
  }
  if ((!flags.record.empty() || !flags.replay.empty()) &&
      (!flags.load.empty() || flags.debug_endpoints)) {
    return wrong(
        "--load and --debug-endpoints are for the embedded server, not with --record or --replay");
  }
  if (!Served::Speed(flags.speed)) {
    return wrong("--speed \"" + flags.speed +
                 "\" is neither a number above 0, such as 2.5, nor max");
  }
  return {};
}

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    return Error(Reason::kConfig, "--load " + path + ": cannot be read; is it there, and a file?");
  }
  return text.str();
}

int RunApiServer(const ApiServerFlags& flags) {
  const StopSource stop = StopOnSignals();
  apiserver::HttpServerOptions http_options;
  if (Result<void> parsed = ParseListen(flags.listen, http_options); !parsed) {
    return UsageError(parsed.error().message());
  }
  if (Result<void> checked = Check(flags); !checked) {
    return UsageError(checked.error().message());
  }
  http_options.tls = flags.tls;
  http_options.bearer_token = flags.token;
  http_options.http2 = !flags.no_http2;
  unsigned streams = 0;
  const char* const last = flags.max_streams.data() + flags.max_streams.size();
  if (std::from_chars(flags.max_streams.data(), last, streams).ptr != last || streams == 0) {
    return UsageError("--max-streams \"" + flags.max_streams + "\" is not a number from 1 on");
  }
  http_options.http2_max_streams = streams;

  Runtime runtime;
  Env& env = runtime.env();
  Served served(env);
  if (Result<void> begun = served.Begin(flags); !begun) return Fail(begun.error());

  for (const std::string& path : flags.load) {
    Result<std::string> text = ReadFile(path);
    if (!text) return Fail(text.error());
    std::optional<Result<std::size_t>> loaded;
    OnLoop(env, [&] { loaded.emplace(served.server()->Load(*text)); });
    if (!*loaded) return Fail(Error(loaded->error()).WithContext("--load " + path));
    std::cout << "loaded " << **loaded << " objects from " << path << '\n';
  }

  Result<std::unique_ptr<apiserver::HttpServer>> http =
      apiserver::HttpServer::Listen(env, served.handler(), http_options);
  if (!http) return Fail(http.error());
  if (served.replay() != nullptr) {
    std::cout << "replaying " << served.replay()->exchanges() << " answers from " << flags.replay
              << '\n';
  }
  if (!flags.record.empty()) std::cout << "recording to " << flags.record << '\n';
  std::cout << "serving at " << (*http)->url() << '\n';
  const bool loopback = http_options.address.rfind("127.", 0) == 0 || http_options.address == "::1";
  if (!loopback && flags.token.empty()) {
    std::cerr << "warning: whoever reaches " << http_options.address
              << " may do everything here; give --token, and --tls\n";
  }
  if (!flags.kubeconfig_out.empty()) {
    if (Result<void> written = (*http)->WriteKubeconfig(flags.kubeconfig_out); !written) {
      return Fail(written.error());
    }
    std::cout << "kubeconfig in " << flags.kubeconfig_out << '\n';
  }
  std::cout.flush();
  stop.Wait();
  // Watches end cleanly and clients are asked to go; who does not listen is cut off.
  OnLoop(env, [&] {
    if (served.server() != nullptr) served.server()->CloseWatches();
  });
  (*http)->Shutdown(std::chrono::milliseconds(500));
  return 0;
}

}  // namespace

void RegisterApiServer(CommandLine& line) {
  auto flags = std::make_shared<ApiServerFlags>();
  Command& command =
      line.Add("apiserver", "Run the embedded Kubernetes API server, for tests and trials");
  command.Option("--listen", flags->listen, "ADDRESS:PORT",
                 "where to listen; port 0: any free one");
  command.Option("--kubeconfig-out", flags->kubeconfig_out, "FILE",
                 "write a kubeconfig for this server, once it is ready");
  command.Options("--load", flags->load, "FILE", "create the objects in these YAML or JSON files");
  command.Flag("--tls", flags->tls, "serve HTTPS with a certificate made for this run");
  command.Flag("--no-http2", flags->no_http2, "with --tls: HTTP/1.1 only");
  command.Option("--max-streams", flags->max_streams, "N",
                 "how many requests an HTTP/2 connection may carry at once (100)");
  command.Option("--token", flags->token, "TOKEN", "let in only requests with this bearer token");
  command.Flag("--pod-grace", flags->pod_grace,
               "deleted pods are seen to terminate, then go without a kubelet");
  command.Flag("--debug-endpoints", flags->debug_endpoints,
               "serve /debug/faults, /debug/compact and the like to whoever is let in");
  command.Option("--record", flags->record, "FILE",
                 "pass requests to the cluster of --upstream and write down what it answers");
  command.Option("--upstream", flags->upstream, "KUBECONFIG", "the cluster to record");
  command.Flag("--record-secrets", flags->record_secrets, "record what is read of Secrets, too");
  command.Option("--replay", flags->replay, "FILE", "serve a recording in place of objects");
  command.Option("--speed", flags->speed, "FACTOR",
                 "of a replay: 1 as recorded, 10 ten times as fast, max at once");
  command.Run([flags] { return RunApiServer(*flags); });
}

}  // namespace kinformer::cli
