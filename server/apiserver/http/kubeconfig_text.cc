#include "apiserver/http/kubeconfig_text.h"

#include "base/text/replace_file.h"
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
  return internal::base::ReplaceFile(path, text);
}

}  // namespace kinformer::apiserver
