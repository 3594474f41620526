// apiserver/faults/testing/scripted_upstream.h
//
// Upstream: a transport to a server whose answers a test gives, call by call.

#ifndef KINFORMER_APISERVER_FAULTS_TESTING_SCRIPTED_UPSTREAM_H_
#define KINFORMER_APISERVER_FAULTS_TESTING_SCRIPTED_UPSTREAM_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

namespace kinformer::apiserver::testing {

class Upstream final : public Transport {
 public:
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    requests.push_back(std::move(request));
    receivers.push_back(&receiver);
    return std::make_unique<HttpCall>();
  }
  [[nodiscard]] TransportStats Stats() const override { return {}; }
  [[nodiscard]] std::string Describe() const override { return "https://up"; }

  // Answers the last call.
  void Head(int status, const HttpHeaders& headers = {}) {
    receivers.back()->OnHeaders(status, headers);
  }
  void Data(std::string_view data) { receivers.back()->OnData(data); }
  void Done(Result<void> result = {}) { receivers.back()->OnDone(std::move(result)); }

  std::vector<HttpRequest> requests;
  std::vector<ResponseReceiver*> receivers;
};

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_FAULTS_TESTING_SCRIPTED_UPSTREAM_H_
