// controller/certificates/folder_for_test.h
//
// For tests: a folder with a certificate and its key, deleted at the end.

#ifndef KINFORMER_CONTROLLER_CERTIFICATES_FOLDER_FOR_TEST_H_
#define KINFORMER_CONTROLLER_CERTIFICATES_FOLDER_FOR_TEST_H_

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "kinformer/endpoints/certificate_watcher.h"

#include "x509/tls_authority.h"

namespace kinformer::testing {

class CertificateFolder {
 public:
  CertificateFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kinformer-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~CertificateFolder() { std::filesystem::remove_all(path_); }
  CertificateFolder(const CertificateFolder&) = delete;
  CertificateFolder& operator=(const CertificateFolder&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] CertificateFiles files() const {
    return {path() + "/tls.crt", path() + "/tls.key"};
  }
  [[nodiscard]] const std::string& ca_pem() const { return authority_.ca_pem(); }

  // Returns a new certificate for localhost and 127.0.0.1.
  [[nodiscard]] CertificatePair Make() {
    const auto made = authority_.ServerCertificate({"localhost", "127.0.0.1"}).OrExit();
    return {made.cert_pem, made.key_pem};
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::trunc) << text;
  }
  void Write(const CertificatePair& pair) const {
    Write("tls.crt", pair.cert_pem);
    Write("tls.key", pair.key_pem);
  }
  // Writes new files and renames them over the existing ones.
  void Rename(const CertificatePair& pair) const {
    Write("new.crt", pair.cert_pem);
    Write("new.key", pair.key_pem);
    std::filesystem::rename(path_ / "new.crt", path_ / "tls.crt");
    std::filesystem::rename(path_ / "new.key", path_ / "tls.key");
  }
  void Remove(const std::string& name) const { std::filesystem::remove(path_ / name); }

 private:
  std::filesystem::path path_{};
  internal::x509::TlsAuthority authority_ =
      internal::x509::TlsAuthority::Make("test-ca", std::chrono::system_clock::now()).OrExit();
};

}  // namespace kinformer::testing

#endif  // KINFORMER_CONTROLLER_CERTIFICATES_FOLDER_FOR_TEST_H_
