#include "cli/kube_apiserver.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/base/version.h"

#include "cli/kube_flags.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "x509/tls_authority.h"

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;

Result<void> Write(const fs::path& path, const std::string& text, bool secret) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (secret) {
    std::error_code ignored;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, ignored);
  }
  if (!(out << text) || !out.flush()) {
    return Error(Reason::kConfig, "--cert-dir: cannot write " + path.string());
  }
  return {};
}

// Makes the files apiserver.crt and apiserver.key.
Result<void> MakeCertificate(const fs::path& folder, const std::string& address) {
  auto authority =
      internal::x509::TlsAuthority::Make("kinformer-ca", std::chrono::system_clock::now());
  if (!authority) return authority.error();
  std::vector<std::string> hosts = {"localhost",  "127.0.0.1",          "::1",
                                    "kubernetes", "kubernetes.default", "kubernetes.default.svc"};
  if (address != "0.0.0.0" && address != "::") hosts.push_back(address);
  const auto certificate = authority->ServerCertificate(hosts);
  if (!certificate) return certificate.error();
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  if (auto written = Write(folder / "apiserver.key", certificate->key_pem, true); !written) {
    return written;
  }
  return Write(folder / "apiserver.crt", certificate->cert_pem + authority->ca_pem(), false);
}

// Adds the options for the serving certificate.
Result<void> AddCertificate(const KubeCommand& command, std::vector<std::string>& arguments) {
  std::string cert_file = command.tls_cert_file;
  std::string key_file = command.tls_private_key_file;
  if (cert_file.empty() && command.cert_dir.empty()) {
    arguments.emplace_back("--tls");
    return {};
  }
  if (cert_file.empty()) {
    const fs::path folder(command.cert_dir);
    cert_file = (folder / "apiserver.crt").string();
    key_file = (folder / "apiserver.key").string();
    if (!fs::exists(cert_file) || !fs::exists(key_file)) {
      if (Result<void> made = MakeCertificate(folder, command.address); !made) return made;
    }
  }
  arguments.push_back("--tls-cert-file=" + cert_file);
  arguments.push_back("--tls-private-key-file=" + key_file);
  return {};
}

// Returns the arguments of `kinformer apiserver` in `arguments`, or an exit status.
std::optional<int> PrepareKubeApiServer(const std::vector<std::string>& flags,
                                        std::vector<std::string>& arguments) {
  Result<KubeCommand> command = ReadKubeFlags(flags);
  if (!command) return Fail(command.error());
  if (command->help) {
    std::cout << KubeFlagsHelp();
    return 0;
  }
  if (command->version) {
    std::cout << "Kubernetes v1.37.0 (kinformer " << kVersion << ")\n";
    return 0;
  }
  for (const std::string& notice : command->notices) {
    std::cerr << "kube-apiserver: " << Printable(notice) << '\n';
  }
  arguments = std::move(command->arguments);
  if (Result<void> added = AddCertificate(*command, arguments); !added) return Fail(added.error());
  return std::nullopt;
}

}  // namespace

std::optional<int> RunAsOther(std::vector<std::string>& arguments) {
  if (arguments.empty()) return std::nullopt;
  std::string name = fs::path(arguments.front()).filename().string();
  std::ptrdiff_t behind = 1;
  if (name != "kube-apiserver" && name != "etcd") {
    if (arguments.size() < 2) return std::nullopt;
    name = arguments[1];
    behind = 2;
  }
  const std::vector<std::string> flags(arguments.begin() + behind, arguments.end());
  if (name == "etcd") return RunEtcdStub(flags);
  if (name != "kube-apiserver") return std::nullopt;
  std::vector<std::string> own;
  if (const auto status = PrepareKubeApiServer(flags, own)) return status;
  arguments.resize(1);
  arguments.insert(arguments.end(), own.begin(), own.end());
  return std::nullopt;
}

}  // namespace kinformer::cli
