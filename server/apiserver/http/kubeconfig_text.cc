#include "apiserver/http/kubeconfig_text.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

std::string Base64(const std::string& text) {
  std::string out;
  internal::AppendBase64(text, out);
  return out;
}

// Returns a quoted YAML scalar, which is always a string.
std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out.push_back('\'');
    out.push_back(c);
  }
  return out + "'";
}

Error FileError(const std::string& what, const std::string& path) {
  return Error(Reason::kConfig, what + " " + path + ": " + std::generic_category().message(errno));
}

}  // namespace

std::string KubeconfigText(const KubeconfigParts& parts) {
  std::string text =
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: kinformer\n"
      "  cluster:\n"
      "    server: " +
      Quoted(parts.url) + "\n";
  if (!parts.ca_pem.empty()) {
    text += "    certificate-authority-data: " + Base64(parts.ca_pem) + "\n";
  }
  const std::string user = Quoted(parts.user);
  text += "contexts:\n- name: kinformer\n  context:\n    cluster: kinformer\n    user: " + user +
          "\ncurrent-context: kinformer\nusers:\n- name: " + user + "\n  user:";
  if (!parts.token.empty()) {
    text += "\n    token: " + Quoted(parts.token) + "\n";
  } else if (!parts.cert_pem.empty()) {
    text += "\n    client-certificate-data: " + Base64(parts.cert_pem) +
            "\n    client-key-data: " + Base64(parts.key_pem) + "\n";
  } else {
    text += " {}\n";
  }
  return text;
}

Result<void> WritePrivateFile(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  ::unlink(temporary.c_str());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return FileError("cannot create", temporary);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = ::write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      Error error = FileError("cannot write", temporary);
      ::close(fd);
      ::unlink(temporary.c_str());
      return error;
    }
    written += static_cast<std::size_t>(n);
  }
  ::close(fd);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    Error error = FileError("cannot replace", path);
    ::unlink(temporary.c_str());
    return error;
  }
  return {};
}

}  // namespace kinformer::apiserver
