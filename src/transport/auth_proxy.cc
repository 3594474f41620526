// The headers by which an authenticating proxy names the user of a request.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/transport_wrapper.h"

#include "transport/header_key.h"

namespace kinformer {
namespace {

constexpr std::string_view kExtra = "X-Remote-Extra-";

bool BeginsLike(std::string_view name, std::string_view prefix) {
  if (name.size() < prefix.size()) return false;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const auto small = [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    if (small(name[i]) != small(prefix[i])) return false;
  }
  return true;
}

class AuthProxyTransport final : public ForwardingTransport {
 public:
  AuthProxyTransport(RemoteUser user, std::shared_ptr<Transport> inner)
      : ForwardingTransport(std::move(inner)), user_(std::move(user)) {}
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    SetAuthProxyHeaders(request, user_);
    return inner().Start(std::move(request), receiver);
  }

 private:
  const RemoteUser user_;
};

}  // namespace

void SetAuthProxyHeaders(HttpRequest& request, const RemoteUser& user) {
  HttpHeaders& headers = request.headers;
  std::vector<std::string> old{"X-Remote-User", "X-Remote-Uid", "X-Remote-Group"};
  for (const auto& [name, value] : headers) {
    if (BeginsLike(name, kExtra)) old.emplace_back(name);
  }
  for (const std::string& name : old) headers.Remove(name);
  headers.Add("X-Remote-User", user.name);
  if (!user.uid.empty()) headers.Add("X-Remote-Uid", user.uid);
  for (const std::string& group : user.groups) headers.Add("X-Remote-Group", group);
  for (const auto& [key, values] : user.extra) {
    const std::string name = std::string(kExtra) + internal::transport::EscapedHeaderKey(key);
    for (const std::string& value : values) headers.Add(name, value);
  }
}

std::shared_ptr<Transport> NewAuthProxyRoundTripper(RemoteUser user,
                                                    std::shared_ptr<Transport> inner) {
  return std::make_shared<AuthProxyTransport>(std::move(user), std::move(inner));
}

}  // namespace kinformer
