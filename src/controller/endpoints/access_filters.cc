#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "kinformer/endpoints/metrics_server.h"
#include "kinformer/internal/head_judge.h"

#include "controller/endpoints/access_reviewer.h"
#include "controller/endpoints/call_thread.h"
#include "controller/endpoints/text_response.h"
#include "http/bearer_token.h"
#include "http/field_names.h"
#include "transport/responses.h"

namespace kinformer {
namespace {

using internal::endpoints::AccessRequest;
using internal::endpoints::AccessReviewer;
using internal::endpoints::CallThread;
using internal::endpoints::TextResponse;
using internal::endpoints::Verdict;
using internal::http::BearerToken;
using internal::transport::HeadJudge;

// Asks the inner handler about a head that a body follows; null: the body may come.
std::unique_ptr<ResponseStream> JudgedBy(Handler& inner, const HttpRequest& head) {
  auto* const judge = dynamic_cast<HeadJudge*>(&inner);
  return judge == nullptr ? nullptr : judge->JudgeHead(head);
}

// Checks the token when the head arrives, before the body.
class TokenFilter final : public Handler, public HeadJudge {
 public:
  TokenFilter(std::string token, std::shared_ptr<Handler> inner)
      : token_(std::move(token)), inner_(std::move(inner)) {}

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (!Admits(request)) return TextResponse(401, "Unauthorized\n");
    return inner_->Handle(std::move(request));
  }
  [[nodiscard]] std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& head) override {
    if (!Admits(head)) return TextResponse(401, "Unauthorized\n");
    return JudgedBy(*inner_, head);
  }

 private:
  [[nodiscard]] bool Admits(const HttpRequest& request) const {
    const std::string_view shown = BearerToken(request.headers);
    return !shown.empty() && internal::http::EqualSecrets(shown, token_);
  }

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

// Approximate bytes that a waiting request holds of client data.
std::size_t BytesOf(const AccessRequest& access, const HttpRequest& request) {
  std::size_t bytes = access.token.size() + access.path.size();
  bytes += request.target.size() + request.body.size();
  for (const auto& [name, value] : request.headers) bytes += name.size() + value.size();
  return bytes;
}

// Reads the body of a request only after the request was authorized.
class ReviewFilter final : public Handler, public HeadJudge {
 public:
  ReviewFilter(Env& env, const Client& client, std::shared_ptr<Handler> inner)
      : inner_(std::move(inner)), reviewer_(env, client), thread_(env, "reviews") {}

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    AccessRequest access = AccessOf(request);
    if (access.token.empty()) return TextResponse(401, "Unauthorized\n");
    if (const std::optional<Verdict> known = reviewer_.Known(access)) {
      return Conclude(*inner_, *known, request);
    }
    return Reviewed(std::move(access), std::move(request), &Conclude);
  }
  [[nodiscard]] std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& head) override {
    AccessRequest access = AccessOf(head);
    if (access.token.empty()) return TextResponse(401, "Unauthorized\n");
    if (const std::optional<Verdict> known = reviewer_.Known(access)) {
      if (known->status != 200) return TextResponse(known->status, known->text);
      return JudgedBy(*inner_, head);
    }
    return Reviewed(std::move(access), head, &OpenGate);
  }

 private:
  using Concluding = std::unique_ptr<ResponseStream> (*)(Handler& inner, const Verdict& verdict,
                                                         HttpRequest& request);

  std::unique_ptr<ResponseStream> Reviewed(AccessRequest access, HttpRequest request,
                                           Concluding conclude) {
    const std::size_t bytes = BytesOf(access, request);
    auto kept = std::make_shared<HttpRequest>(std::move(request));
    return thread_.Answer(
        [this, access = std::move(access), kept = std::move(kept),
         conclude](const std::stop_token& stop) {
          return [inner = inner_.get(), verdict = reviewer_.Ask(access, stop), kept, conclude] {
            return conclude(*inner, verdict, *kept);
          };
        },
        bytes);
  }

  static std::unique_ptr<ResponseStream> OpenGate(Handler& inner, const Verdict& verdict,
                                                  HttpRequest& head) {
    if (verdict.status != 200) return TextResponse(verdict.status, verdict.text);
    if (auto judged = JudgedBy(inner, head)) return judged;
    return std::make_unique<internal::transport::WholeBody>(HeadJudge::kContinue, HttpHeaders(),
                                                            "");
  }

  static std::unique_ptr<ResponseStream> Conclude(Handler& inner, const Verdict& verdict,
                                                  HttpRequest& request) {
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
