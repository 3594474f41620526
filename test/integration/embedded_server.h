// test/integration/embedded_server.h
//
// EmbeddedServer: the embedded API server on a local socket, with its own threads. A test can stop
// it, restart it and replace its answers.

#ifndef KINFORMER_TEST_INTEGRATION_EMBEDDED_SERVER_H_
#define KINFORMER_TEST_INTEGRATION_EMBEDDED_SERVER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/config.h"
#include "kinformer/object/object_name.h"

#include "client/testing/scripted_server.h"
#include "x509/tls_authority.h"

namespace kinformer::testing {

inline const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

// "namespace/name" and resourceVersion of each object.
using State = std::map<std::string, std::string>;

struct EmbeddedServerOptions {
  bool tls = true;
  bool http2 = true;  // over TLS
  std::string bearer_token{"integration-token"};
  apiserver::ApiServerOptions api{};
  std::shared_ptr<LogSink> log{};  // null: no log
};

// Calls webhooks that have a URL. Keeps its certificates for its whole life, so that a client can
// be used across restarts of the server. Thread-safe; all functions block briefly. The destructor
// stops the server.
class EmbeddedServer {
 public:
  using Answer = std::function<std::optional<ScriptedResponse>(const HttpRequest&)>;

  explicit EmbeddedServer(EmbeddedServerOptions options = {});
  ~EmbeddedServer();
  EmbeddedServer(const EmbeddedServer&) = delete;
  EmbeddedServer& operator=(const EmbeddedServer&) = delete;

  // Returns a configuration with the address and the credentials for a client.
  [[nodiscard]] Config ClientConfig() const;
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const std::string& ca_pem() const { return authority_->ca_pem(); }
  // Makes another certificate of the same authority, for 127.0.0.1.
  CertificatePair MakeCertificate();

  // Closes the port and all connections. Keeps the objects of the API server.
  void Stop();
  // Listens on the same port again.
  void Start();
  void CloseConnections();

  // Answers requests with `answer` if it returns a response, others with the API server. Called on
  // the server's loop.
  void AnswerWith(Answer answer);

  // Runs `work` with the API server on its loop and waits for it.
  template <class F>
  auto With(F work) -> std::invoke_result_t<F, apiserver::ApiServer&> {
    using R = std::invoke_result_t<F, apiserver::ApiServer&>;
    std::promise<R> done;
    runtime_->env().loop().Post([&] {
      if constexpr (std::is_void_v<R>) {
        work(*api_);
        done.set_value();
      } else {
        done.set_value(work(*api_));
      }
    });
    return done.get_future().get();
  }

  // Creates or replaces a ConfigMap with data.value; the test fails if the server refuses.
  void Put(const std::string& name, const std::string& value,
           const std::string& namespace_ = "default");
  void Delete(const std::string& name, const std::string& namespace_ = "default");
  // State of all ConfigMaps.
  [[nodiscard]] State ServerState();

 private:
  class Front;

  const EmbeddedServerOptions options_;
  std::unique_ptr<internal::x509::TlsAuthority> authority_;
  CertificatePair certificate_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<apiserver::ApiServer> api_;
  std::unique_ptr<Front> front_;
  std::unique_ptr<apiserver::HttpServer> http_;
  std::uint16_t port_ = 0;
};

// Checks every few milliseconds until `condition` is true; returns false after `limit`.
bool Eventually(const std::function<bool()>& condition,
                std::chrono::milliseconds limit = std::chrono::seconds(60));

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_EMBEDDED_SERVER_H_
