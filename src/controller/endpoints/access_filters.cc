#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "kinformer/metrics_server.h"

#include "controller/endpoints/access_reviewer.h"
#include "controller/endpoints/call_thread.h"
#include "controller/endpoints/text_response.h"
#include "http/bearer_token.h"
#include "http/field_names.h"

namespace kinformer {
namespace {

using internal::endpoints::AccessRequest;
using internal::endpoints::AccessReviewer;
using internal::endpoints::CallThread;
using internal::endpoints::TextResponse;
using internal::endpoints::Verdict;
using internal::http::BearerToken;

class TokenFilter final : public Handler {
 public:
  TokenFilter(std::string token, std::shared_ptr<Handler> inner)
      : token_(std::move(token)), inner_(std::move(inner)) {}

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    const std::string_view shown = BearerToken(request.headers);
    if (shown.empty() || !internal::http::EqualSecrets(shown, token_)) {
      return TextResponse(401, "Unauthorized\n");
    }
    return inner_->Handle(std::move(request));
  }

 private:
  const std::string token_;
  const std::shared_ptr<Handler> inner_;
};

AccessRequest AccessOf(const HttpRequest& request) {
  AccessRequest access{.token = std::string(BearerToken(request.headers)),
                       .verb = request.method,
                       .path = request.target.substr(0, request.target.find('?'))};
  std::transform(access.verb.begin(), access.verb.end(), access.verb.begin(),
                 &internal::http::LowerCase);
  return access;
}

class ReviewFilter final : public Handler {
 public:
  ReviewFilter(Env& env, const Client& client, std::shared_ptr<Handler> inner)
      : inner_(std::move(inner)), reviewer_(env, client), thread_(env, "reviews") {}

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    AccessRequest access = AccessOf(request);
    if (access.token.empty()) return TextResponse(401, "Unauthorized\n");
    if (const std::optional<Verdict> known = reviewer_.Known(access)) {
      return Conclude(*inner_, *known, std::move(request));
    }
    return thread_.Answer([this, access = std::move(access),
                           request = std::move(request)](const std::stop_token& stop) {
      return [inner = inner_.get(), verdict = reviewer_.Ask(access, stop), request] {
        return Conclude(*inner, verdict, request);
      };
    });
  }

 private:
  static std::unique_ptr<ResponseStream> Conclude(Handler& inner, const Verdict& verdict,
                                                  HttpRequest request) {
    if (verdict.status != 200) return TextResponse(verdict.status, verdict.text);
    request.user = verdict.user;
    return inner.Handle(std::move(request));
  }

  const std::shared_ptr<Handler> inner_;
  AccessReviewer reviewer_;
  CallThread thread_;
};

}  // namespace

std::shared_ptr<Handler> WithBearerToken(std::string token, std::shared_ptr<Handler> inner) {
  return std::make_shared<TokenFilter>(std::move(token), std::move(inner));
}

std::shared_ptr<Handler> WithAuthenticationAndAuthorization(Env& env, const Client& client,
                                                            std::shared_ptr<Handler> inner) {
  return std::make_shared<ReviewFilter>(env, client, std::move(inner));
}

}  // namespace kinformer
