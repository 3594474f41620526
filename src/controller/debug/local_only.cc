#include "controller/debug/local_only.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <string>
#include <utility>

#include "controller/endpoints/text_response.h"
#include "http/field_names.h"

namespace kinformer::internal::debug {
namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), &http::LowerCase);
  return lower;
}

// Returns whether a proxy has passed the request on: the proxy of a service mesh is in the same
// pod, so all its clients come by the loopback interface.
bool IsForwarded(const HttpHeaders& headers) {
  return std::ranges::any_of(headers, [](const auto& field) {
    const std::string name = LowerCase(field.first);
    return name == "forwarded" || name == "via" || name.starts_with("x-forwarded-") ||
           name.starts_with("x-envoy-");
  });
}

class LocalOnly final : public Handler {
 public:
  explicit LocalOnly(std::shared_ptr<Handler> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (!request.on_loopback || IsForwarded(request.headers)) {
      return endpoints::TextResponse(
          403,
          "this page is for clients on the same machine: use kubectl port-forward, or let "
          "ManagerOptions::metrics_access require a token\n");
    }
    if (!IsLocalHostName(request.headers.Get("Host"))) {
      return endpoints::TextResponse(
          403, "this page is for clients on the same machine: call it by localhost or 127.0.0.1\n");
    }
    return inner_->Handle(std::move(request));
  }

 private:
  const std::shared_ptr<Handler> inner_;
};

bool IsAddress(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

// Returns the host without its port. In a URL, an address of IPv6 is in brackets.
std::string_view WithoutPort(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

}  // namespace

bool IsLocalHostName(std::string_view host) {
  const std::string_view name = WithoutPort(host);
  if (name.starts_with('[') && name.ends_with(']')) {
    return IsAddress(AF_INET6, name.substr(1, name.size() - 2));
  }
  if (IsAddress(AF_INET, name)) return true;
  const std::string lower = LowerCase(name);
  return lower == "localhost" || lower.ends_with(".localhost");
}

std::shared_ptr<Handler> OnlyThisMachine(std::shared_ptr<Handler> inner) {
  return std::make_shared<LocalOnly>(std::move(inner));
}

}  // namespace kinformer::internal::debug
