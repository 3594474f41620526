#include <iostream>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <termios.h>
#include <unistd.h>

#include "kinformer/client/clientcmd.h"

namespace kinformer::clientcmd {
namespace {

// Switches off the echo of a terminal while it lives.
class HiddenInput {
 public:
  explicit HiddenInput(const std::istream& in) {
    termios before{};
    if (&in != &std::cin || ::tcgetattr(STDIN_FILENO, &before) != 0) return;
    termios hidden = before;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0) before_ = before;
  }
  ~HiddenInput() {
    if (before_) static_cast<void>(::tcsetattr(STDIN_FILENO, TCSAFLUSH, &*before_));
  }
  HiddenInput(const HiddenInput&) = delete;
  HiddenInput& operator=(const HiddenInput&) = delete;

  // Returns true if the person's newline was not shown.
  [[nodiscard]] bool hides() const { return before_.has_value(); }

 private:
  std::optional<termios> before_;
};

Result<std::string> Line(std::istream& in, std::string_view what) {
  std::string line;
  if (!std::getline(in, line)) {
    return Error(Reason::kConfig, "the input ended before a " + std::string(what) +
                                      " was given: give credentials in the kubeconfig or by flags");
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

bool IsIdentified(const Config& config) {
  return !config.username.empty() || !config.bearer_token.empty() ||
         !config.bearer_token_file.empty() || !config.id_token.empty() || config.oidc ||
         config.exec || config.credentials != nullptr || !config.tls.cert_file.empty() ||
         !config.tls.cert_data.empty();
}

}  // namespace

Result<clientcmdapi::AuthInfo> PromptForLogin(std::istream& in, std::ostream& out) {
  out << "Please enter Username: " << std::flush;
  Result<std::string> username = Line(in, "user name");
  if (!username) return username.error();
  out << "Please enter Password: " << std::flush;
  const HiddenInput hidden(in);
  Result<std::string> password = Line(in, "password");
  if (hidden.hides()) out << '\n' << std::flush;
  if (!password) return password.error();
  clientcmdapi::AuthInfo login;
  login.username = *std::move(username);
  login.password = *std::move(password);
  return login;
}

Result<Config> InteractiveClientConfig(const clientcmdapi::Config& config,
                                       const ConfigOverrides& overrides, std::istream& in,
                                       std::ostream& out) {
  Result<Config> found = ClientConfig(config, overrides);
  if (!found || IsIdentified(*found)) return found;
  const Result<clientcmdapi::AuthInfo> login = PromptForLogin(in, out);
  if (!login) return login.error();
  found->username = login->username;
  found->password = login->password;
  return found;
}

}  // namespace kinformer::clientcmd
