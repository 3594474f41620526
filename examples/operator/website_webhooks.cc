#include "website_webhooks.h"

#include <memory>

#include "website.h"

using namespace kinformer;  // NOLINT(google-build-using-namespace): a program, not a header

namespace {

class WebsiteValidator final : public admission::Validator<Websites> {
 public:
  Result<void> ValidateCreate(const admission::Request& /*request*/, const Websites& website,
                              admission::Warnings& warnings) override {
    return Check(website, warnings);
  }
  Result<void> ValidateUpdate(const admission::Request& /*request*/, const Websites& /*old*/,
                              const Websites& website, admission::Warnings& warnings) override {
    return Check(website, warnings);
  }

 private:
  static Result<void> Check(const Websites& website, admission::Warnings& warnings) {
    const WebsiteSpec& spec = website.value().spec;
    if (spec.page.empty()) return Error(Reason::kInvalid, "spec.page must be set");
    if (spec.replicas > 20) warnings.push_back("spec.replicas: so many pods for one page");
    return {};
  }
};

}  // namespace

WebhookCertificatesOptions WebsiteCertificates() {
  return {.namespace_ = "default",
          .secret_name = "website-operator-certs",
          .hosts = {"website-operator.default.svc"},
          .mutating = {"websites.example.com"},
          .validating = {"websites.example.com"}};
}

Result<void> RegisterWebsiteWebhooks(WebhookServer& webhooks) {
  auto defaulter = webhooks.RegisterDefaulter<Websites>(
      [](const admission::Request& /*request*/, Websites::Mutable& website) -> Result<void> {
        if (website.spec.replicas == 0) website.spec.replicas = 1;
        return {};
      });
  if (!defaulter) return defaulter;
  return webhooks.RegisterValidator<Websites>(std::make_shared<WebsiteValidator>());
}
