// config/testing/kubeconfig_texts.h
//
// Shared parts of the kubeconfig tests: a folder of files, and texts with one user or cluster.

#ifndef KINFORMER_CONFIG_TESTING_KUBECONFIG_TEXTS_H_
#define KINFORMER_CONFIG_TESTING_KUBECONFIG_TEXTS_H_

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace kinformer {

// A folder that is deleted after the test.
class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = ::testing::TempDir() + "kinformer-config-" + std::to_string(getpid()) + "-" +
            std::to_string(count++);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = path_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string OneUser(const std::string& fields,
                           const std::string& cluster = "server: https://s") {
  return "current-context: c\nclusters: [{name: k, cluster: {" + cluster +
         "}}]\nusers: [{name: u, user: {" + fields +
         "}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n";
}
inline std::string OneCluster(const std::string& fields) { return OneUser("", fields); }

}  // namespace kinformer

#endif  // KINFORMER_CONFIG_TESTING_KUBECONFIG_TEXTS_H_
