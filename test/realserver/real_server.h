// test/realserver/real_server.h
//
// RealServer: the real kube-apiserver as a child process. KINFORMER_REALAPI names its binary
// (test/realserver/build.sh).

#ifndef KINFORMER_TEST_REALSERVER_REAL_SERVER_H_
#define KINFORMER_TEST_REALSERVER_REAL_SERVER_H_

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <signal.h>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <vector>

#include "support/child_process.h"

namespace kinformer::testing {

inline std::string EnvironmentOr(const char* name, const char* fallback) {
  const char* value = getenv(name);
  return value != nullptr ? value : fallback;
}

// A real kube-apiserver with etcd, in a folder of its own.
class RealServer {
 public:
  RealServer() {
    std::string pattern = ::testing::TempDir() + "kinformer-real-XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~RealServer() {
    Stop(SIGTERM);
    std::filesystem::remove_all(directory_);
  }

  void Start(std::vector<std::string> extra = {}) {
    std::vector<std::string> arguments = {EnvironmentOr("KINFORMER_REALAPI", "realapi"),
                                          "--data-dir", directory_, "--stdin"};
    if (!port_.empty()) arguments.insert(arguments.end(), {"--port", port_});
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    process_ = std::make_unique<ChildProcess>(arguments);
    std::vector<std::string> seen;
    ASSERT_TRUE(process_->WaitForLine("ready ", std::chrono::seconds(120), &seen))
        << "the real API server did not start";
    const std::string& line = seen.back();
    const std::size_t at = line.find("server=https://127.0.0.1:");
    ASSERT_NE(at, std::string::npos) << line;
    const std::size_t begin = at + std::string_view("server=https://127.0.0.1:").size();
    port_ = line.substr(begin, line.find_first_not_of("0123456789", begin) - begin);
    const std::size_t etcd = line.find("etcd=") + std::string_view("etcd=").size();
    etcd_ = line.substr(etcd, line.find(' ', etcd) - etcd);
  }
  void Stop(int signal) {
    if (process_ == nullptr) return;
    process_->Signal(signal);
    process_->Wait(std::chrono::seconds(30));
    process_.reset();
  }

  [[nodiscard]] std::string url() const { return "https://127.0.0.1:" + port_; }
  [[nodiscard]] std::string ca_file() const { return directory_ + "/ca.crt"; }
  // Authority of the certificate that it shows to aggregated APIs.
  [[nodiscard]] std::string front_proxy_ca_file() const {
    return directory_ + "/front-proxy-ca.crt";
  }
  // Token of the user admin, who may do everything.
  [[nodiscard]] static std::string token() { return "admin-token"; }
  // Address of its etcd: "http://127.0.0.1:2379".
  [[nodiscard]] const std::string& etcd() const { return etcd_; }
  [[nodiscard]] std::string kubeconfig(const std::string& user = "admin") const {
    return directory_ + "/" + user + ".kubeconfig";
  }

 private:
  std::string directory_;
  std::string port_;
  std::string etcd_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_REALSERVER_REAL_SERVER_H_
