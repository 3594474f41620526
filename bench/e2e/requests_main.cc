// bench_requests: what one request costs a client: reads of one pod, from a running bench_serve.
//
//   bench_requests --kubeconfig FILE [--requests N] MODE
//
// MODE: curl (libcurl alone: one handle, the body is thrown away), curl_multi (the same by
// libcurl's interface for many transfers, which an event loop needs, with a URL for each request
// and the body kept), curl_thread (as curl, in a thread that gets each request from another one,
// which waits for it), blocking (Get), awaited (Get by one coroutine, on the loop), parallel (Get
// by 64 coroutines). All ask for protobuf over HTTP/2. Output: one line of JSON, with the CPU
// microseconds of a request: those of the whole process, divided by the number of requests, after a
// tenth of them has been made.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <curl/curl.h>
#include <functional>
#include <latch>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>

#include "kinformer/api/corev1.h"
#include "kinformer/base/task.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/resource_client.h"

#include "e2e/process_figures.h"

namespace corev1 = kinformer::corev1;
namespace bench = kinformer::bench;
using kinformer::Ref;
using kinformer::Result;
using kinformer::Task;

namespace {

constexpr int kParallel = 64;

struct Pod {
  std::string namespace_;
  std::string name;
};

Pod FirstPod(const kinformer::Client& client) {
  const auto page = client.For<corev1::Pod>().ListPage({.limit = 1}).OrExit();
  const corev1::Pod pod = page[0];
  return {std::string(pod.metadata().namespace_()), std::string(pod.metadata().name())};
}

std::size_t Keep(char* data, std::size_t size, std::size_t count, void* body) {
  static_cast<std::string*>(body)->append(data, size * count);
  return size * count;
}

std::size_t Discard(char*, std::size_t size, std::size_t count, void*) { return size * count; }

// libcurl alone, with one handle for all requests.
class Curl {
 public:
  Curl(const kinformer::Config& config, const Pod& pod);
  ~Curl();
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;

  void Get();
  void GetByMulti();

 private:
  void CheckStatus();

  std::string url_;
  std::string body_;
  CURLM* multi_ = nullptr;
  CURL* easy_;
  curl_slist* headers_;
};

Curl::Curl(const kinformer::Config& config, const Pod& pod) {
  const kinformer::HttpTransportOptions options = kinformer::TransportOptionsFor(config).OrExit();
  curl_global_init(CURL_GLOBAL_DEFAULT);
  easy_ = curl_easy_init();
  url_ = options.base_url + "/api/v1/namespaces/" + pod.namespace_ + "/pods/" + pod.name;
  const auto blob = [](const std::string& text) {
    return curl_blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
  };
  curl_blob ca = blob(options.tls.ca_pem);
  curl_blob cert = blob(options.tls.cert_pem);
  curl_blob key = blob(options.tls.key_pem);
  headers_ =
      curl_slist_append(nullptr, "Accept: application/vnd.kubernetes.protobuf,application/json");
  curl_easy_setopt(easy_, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(easy_, CURLOPT_CAINFO_BLOB, &ca);
  if (!options.tls.cert_pem.empty()) {
    curl_easy_setopt(easy_, CURLOPT_SSLCERT_BLOB, &cert);
    curl_easy_setopt(easy_, CURLOPT_SSLKEY_BLOB, &key);
  }
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers_);
  if (!config.bearer_token.empty()) {
    curl_easy_setopt(easy_, CURLOPT_XOAUTH2_BEARER, config.bearer_token.c_str());
    curl_easy_setopt(easy_, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
  }
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &Discard);
}

Curl::~Curl() {
  if (multi_ != nullptr) curl_multi_cleanup(multi_);
  curl_easy_cleanup(easy_);
  curl_slist_free_all(headers_);
}

void Curl::CheckStatus() {
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) std::exit(1);
}

void Curl::Get() {
  if (curl_easy_perform(easy_) != CURLE_OK) std::exit(1);
  CheckStatus();
}

void Curl::GetByMulti() {
  if (multi_ == nullptr) multi_ = curl_multi_init();
  body_.clear();
  curl_easy_setopt(easy_, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &Keep);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, &body_);
  curl_multi_add_handle(multi_, easy_);
  int running = 1;
  while (curl_multi_perform(multi_, &running) == CURLM_OK && running > 0) {
    curl_multi_poll(multi_, nullptr, 0, 1000, nullptr);
  }
  curl_multi_remove_handle(multi_, easy_);
  CheckStatus();
}

void RunCurl(Curl& curl, int requests) {
  for (int i = 0; i < requests; ++i) curl.Get();
}

void RunCurlMulti(Curl& curl, int requests) {
  for (int i = 0; i < requests; ++i) curl.GetByMulti();
}

// Two changes of threads for each request: what a blocking call of a library that has a loop costs
// at least.
void RunCurlThread(Curl& curl, int requests) {
  std::binary_semaphore wanted(0);
  std::binary_semaphore there(0);
  std::jthread worker([&] {
    for (int i = 0; i < requests; ++i) {
      wanted.acquire();
      curl.Get();
      there.release();
    }
  });
  for (int i = 0; i < requests; ++i) {
    wanted.release();
    there.acquire();
  }
}

void RunBlocking(const kinformer::Client& client, const Pod& pod, int requests) {
  const auto pods = client.For<corev1::Pod>(pod.namespace_);
  for (int i = 0; i < requests; ++i) pods.Get(pod.name).OrExit();
}

Task<Result<void>> GetMany(kinformer::AsyncResourceClient<corev1::Pod> pods, std::string name,
                           int requests) {
  for (int i = 0; i < requests; ++i) {
    const Result<Ref<corev1::Pod>> got = co_await pods.Get(name);
    if (!got) co_return got.error();
  }
  co_return Result<void>();
}

void RunAwaited(const kinformer::Client& client, const Pod& pod, int requests, int at_once) {
  const kinformer::AsyncResourceClient pods(client.For<corev1::Pod>(pod.namespace_));
  std::latch left(at_once);
  for (int i = 0; i < at_once; ++i) {
    kinformer::Spawn(client.env(), client.env().loop(), GetMany(pods, pod.name, requests / at_once),
                     [&](const Result<void>& done) {
                       done.OrExit();
                       left.count_down();
                     });
  }
  left.wait();
}

int Usage() {
  std::fputs("see the head of bench/e2e/requests_main.cc\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string kubeconfig;
  std::string mode;
  int requests = 20000;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--kubeconfig" && i + 1 < argc) {
      kubeconfig = argv[++i];
    } else if (argument == "--requests" && i + 1 < argc) {
      requests = std::atoi(argv[++i]);
    } else {
      mode = argument;
    }
  }
  if (kubeconfig.empty() || requests < 10) return Usage();
  const auto config = kinformer::Config::FromKubeconfigFile(kubeconfig).OrExit();
  std::optional<kinformer::Client> client =
      kinformer::Client::NewForConfig(config, {.qps = -1}).OrExit();
  const Pod pod = FirstPod(*client);
  std::function<void(int)> run;
  std::optional<Curl> curl;
  if (mode.starts_with("curl")) {
    client.reset();  // with its threads
    curl.emplace(config, pod);
    if (mode == "curl") run = [&](int count) { RunCurl(*curl, count); };
    if (mode == "curl_multi") run = [&](int count) { RunCurlMulti(*curl, count); };
    if (mode == "curl_thread") run = [&](int count) { RunCurlThread(*curl, count); };
    if (!run) return Usage();
  } else if (mode == "blocking") {
    run = [&](int count) { RunBlocking(*client, pod, count); };
  } else if (mode == "awaited") {
    run = [&](int count) { RunAwaited(*client, pod, count, 1); };
  } else if (mode == "parallel") {
    run = [&](int count) { RunAwaited(*client, pod, count, kParallel); };
  } else {
    return Usage();
  }
  run(requests / 10);
  const double before = bench::CpuSeconds();
  run(requests);
  std::printf("{\"client\":\"%s\",\"cpu_us\":%.2f}\n", mode.c_str(),
              (bench::CpuSeconds() - before) / requests * 1e6);
}
