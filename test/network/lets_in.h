// test/network/lets_in.h
//
// LetsIn: the policy of a server that admits everybody.

#ifndef KINFORMER_TEST_NETWORK_LETS_IN_H_
#define KINFORMER_TEST_NETWORK_LETS_IN_H_

#include <memory>
#include <string>
#include <string_view>

#include "http/request_policy.h"
#include "transport/responses.h"

namespace kinformer::testing {

class LetsIn final : public internal::http::RequestPolicy {
 public:
  std::unique_ptr<ResponseStream> Admit(const internal::http::PeerIdentity&,
                                        HttpRequest&) const override {
    return nullptr;
  }
  internal::http::Compression CompressionOf(const HttpRequest&) const override {
    return internal::http::Compression::kNone;
  }
  bool AnswersWithMessages(const HttpRequest&) const override { return false; }
  internal::http::MessageForm FormOf(std::string_view) const override {
    return internal::http::MessageForm::kLine;
  }
  std::unique_ptr<ResponseStream> Refuse(int status, std::string_view message) const override {
    return std::make_unique<internal::transport::WholeBody>(status, HttpHeaders(),
                                                            std::string(message));
  }
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_LETS_IN_H_
