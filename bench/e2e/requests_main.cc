// bench_requests: what one request costs a client: reads of one pod, from a running bench_serve.
//
//   bench_requests --kubeconfig FILE [--requests N] MODE
//
// MODE: curl (libcurl alone: one handle, the body is thrown away), blocking (Get), awaited (Get by
// one coroutine, on the loop), parallel (Get by 64 coroutines). All of them ask for protobuf over
// HTTP/2. Output: one line of JSON, with the CPU microseconds of a request: those of the whole
// process, divided by the number of requests, after a tenth of them has been made.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <curl/curl.h>
#include <functional>
#include <latch>
#include <optional>
#include <string>

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

std::size_t Discard(char*, std::size_t size, std::size_t count, void*) { return size * count; }

void RunCurl(const kinformer::Config& config, const Pod& pod, int requests) {
  const kinformer::HttpTransportOptions options = kinformer::TransportOptionsFor(config).OrExit();
  static CURL* const easy = [] {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    return curl_easy_init();
  }();
  const std::string url =
      options.base_url + "/api/v1/namespaces/" + pod.namespace_ + "/pods/" + pod.name;
  const auto blob = [](const std::string& text) {
    return curl_blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
  };
  curl_blob ca = blob(options.tls.ca_pem);
  curl_blob cert = blob(options.tls.cert_pem);
  curl_blob key = blob(options.tls.key_pem);
  curl_slist* headers =
      curl_slist_append(nullptr, "Accept: application/vnd.kubernetes.protobuf,application/json");
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &ca);
  if (!options.tls.cert_pem.empty()) {
    curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &cert);
    curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key);
  }
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  if (!config.bearer_token.empty()) {
    curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, config.bearer_token.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
  }
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Discard);
  for (int i = 0; i < requests; ++i) {
    long status = 0;
    if (curl_easy_perform(easy) != CURLE_OK) std::exit(1);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) std::exit(1);
  }
  curl_slist_free_all(headers);
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
  if (mode == "curl") {
    client.reset();  // with its threads
    run = [&](int count) { RunCurl(config, pod, count); };
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
