#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/stop.h"
#include "kinformer/client/transport.h"

#include "base/text/number_in.h"
#include "cli/kube_apiserver.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "transport/responses.h"

namespace kinformer::cli {
namespace {

constexpr std::string_view kClientUrls = "--listen-client-urls";

class HealthHandler final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path == "/health") return Answer(200, "{\"health\":\"true\",\"reason\":\"\"}");
    if (path == "/version") return Answer(200, R"({"etcdserver":"3.7.0","etcdcluster":"3.7.0"})");
    return Answer(404, R"({"error":"kinformer's stand-in for etcd only says that it is healthy"})");
  }

 private:
  static std::unique_ptr<ResponseStream> Answer(int status, std::string body) {
    HttpHeaders headers;
    headers.Add("Content-Type", "application/json");
    return std::make_unique<internal::transport::WholeBody>(status, std::move(headers),
                                                            std::move(body));
  }
};

Error WrongUrl(const std::string& url) {
  return {Reason::kInvalidArgument, std::string(kClientUrls) + " \"" + url +
                                        "\" is not like http://127.0.0.1:2379; there is no TLS"};
}

// Parses "http://127.0.0.1:2379".
Result<apiserver::HttpServerOptions> OptionsOf(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) return WrongUrl(url);
  std::string place = url.substr(kScheme.size());
  if (place.ends_with('/')) place.pop_back();
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos) return WrongUrl(url);
  const std::string_view port = std::string_view(place).substr(colon + 1);
  const auto number = internal::base::NumberIn<std::uint16_t>(port);
  if (!number) return WrongUrl(url);
  apiserver::HttpServerOptions options;
  options.port = *number;
  options.address = place.substr(0, colon);
  if (options.address.size() > 1 && options.address.front() == '[') {
    options.address = options.address.substr(1, options.address.size() - 2);
  }
  if (options.address == "localhost") options.address = "127.0.0.1";
  return options;
}

}  // namespace

int RunEtcdStub(const std::vector<std::string>& flags) {
  const StopSource stop = StopOnSignals();
  std::string urls = "http://127.0.0.1:2379";
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string_view flag = flags[i];
    if (flag == "--help" || flag == "-h") {
      std::cout << "kinformer's stand-in for etcd, for envtest: it stores nothing, and answers\n"
                   "/health. All other flags of etcd are accepted and have no effect.\n\n"
                   "      --listen-client-urls URL   (http://127.0.0.1:2379)\n";
      return 0;
    }
    if (flag == "--version") {
      std::cout << "etcd Version: 3.7.0\n";
      return 0;
    }
    if (flag == kClientUrls && i + 1 < flags.size()) urls = flags[++i];
    if (flag.starts_with(kClientUrls) && flag.substr(kClientUrls.size()).starts_with('=')) {
      urls = flag.substr(kClientUrls.size() + 1);
    }
  }
  const Result<apiserver::HttpServerOptions> options = OptionsOf(urls.substr(0, urls.find(',')));
  if (!options) return Fail(options.error());
  Runtime runtime;
  HealthHandler handler;
  auto http = apiserver::HttpServer::Listen(runtime.env(), handler, *options);
  if (!http) return Fail(http.error());
  std::cout << "serving at " << Printable((*http)->url()) << std::endl;
  stop.Wait();
  return 0;
}

}  // namespace kinformer::cli
