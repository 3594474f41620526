#include <charconv>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/http_server.h"
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

// The server begins and ends on the loop.
class ServerOnLoop {
 public:
  explicit ServerOnLoop(Env& env) : env_(env) {
    OnLoop(env_, [this] { server_ = std::make_unique<apiserver::ApiServer>(env_); });
  }
  ~ServerOnLoop() {
    OnLoop(env_, [this] { server_.reset(); });
  }
  ServerOnLoop(const ServerOnLoop&) = delete;
  ServerOnLoop& operator=(const ServerOnLoop&) = delete;
  apiserver::ApiServer* operator->() const { return server_.get(); }
  apiserver::ApiServer& operator*() const { return *server_; }

 private:
  Env& env_;
  std::unique_ptr<apiserver::ApiServer> server_;
};

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
  ServerOnLoop server(env);

  for (const std::string& path : flags.load) {
    Result<std::string> text = ReadFile(path);
    if (!text) return Fail(text.error());
    std::optional<Result<std::size_t>> loaded;
    OnLoop(env, [&] { loaded.emplace(server->Load(*text)); });
    if (!*loaded) return Fail(Error(loaded->error()).WithContext("--load " + path));
    std::cout << "loaded " << **loaded << " objects from " << path << '\n';
  }

  Result<std::unique_ptr<apiserver::HttpServer>> http =
      apiserver::HttpServer::Listen(env, *server, http_options);
  if (!http) return Fail(http.error());
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
  OnLoop(env, [&] { server->CloseWatches(); });
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
  command.Run([flags] { return RunApiServer(*flags); });
}

}  // namespace kinformer::cli
