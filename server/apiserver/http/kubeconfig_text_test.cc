// Kubeconfigs: their text, and how files with secrets are written.

#include "apiserver/http/kubeconfig_text.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/resource.h>

namespace kinformer::apiserver {
namespace {

constexpr const char kStart[] =
    "apiVersion: v1\nkind: Config\nclusters:\n- name: kinformer\n  cluster:\n"
    "    server: 'https://h:1'\n";
constexpr const char kMiddle[] =
    "contexts:\n- name: kinformer\n  context:\n    cluster: kinformer\n    user: 'a''b'\n"
    "current-context: kinformer\nusers:\n- name: 'a''b'\n  user:";

TEST(KubeconfigText, CredentialsAreATokenACertificateOrNone) {
  KubeconfigParts parts{.url = "https://h:1",
                        .user = "a'b",
                        .ca_pem = "",
                        .token = "",
                        .cert_pem = "",
                        .key_pem = ""};
  EXPECT_EQ(KubeconfigText(parts), std::string(kStart) + kMiddle + " {}\n");
  parts.ca_pem = "ca";
  const std::string start =
      std::string(kStart) + "    certificate-authority-data: Y2E=\n" + kMiddle;
  EXPECT_EQ(KubeconfigText(parts), start + " {}\n");
  parts.cert_pem = "cer";
  parts.key_pem = "key0";
  EXPECT_EQ(KubeconfigText(parts),
            start + "\n    client-certificate-data: Y2Vy\n    client-key-data: a2V5MA==\n");
  parts.token = "t'o";
  EXPECT_EQ(KubeconfigText(parts), start + "\n    token: 't''o'\n");
}

class PrivateFileTest : public ::testing::Test {
 protected:
  PrivateFileTest() {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  ~PrivateFileTest() override { std::filesystem::remove_all(directory_); }

  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  static std::ptrdiff_t OpenFiles() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  }

  const std::string directory_ = ::testing::TempDir() + "private_file_test";
  const std::string path_ = directory_ + "/f";
};

TEST_F(PrivateFileTest, File_IsReplacedAndReadableByItsOwnerAlone) {
  ASSERT_TRUE(WritePrivateFile(path_, "one").ok());
  EXPECT_EQ(Read(path_), "one");
  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::ofstream(path_ + ".new") << "left by a writer that was killed";
  const std::string large(100'000, 'x');
  ASSERT_TRUE(WritePrivateFile(path_, large).ok());
  EXPECT_EQ(Read(path_), large);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
  ASSERT_TRUE(WritePrivateFile(path_, "").ok());
  EXPECT_EQ(Read(path_), "");
}

TEST_F(PrivateFileTest, Failures_NameTheFileAndLeaveNone) {
  const auto created = WritePrivateFile(directory_ + "/none/f", "x");
  ASSERT_FALSE(created.ok());
  EXPECT_EQ(created.error().reason(), Reason::kConfig);
  EXPECT_EQ(created.error().message(),
            "cannot create " + directory_ + "/none/f.new: No such file or directory");
  std::filesystem::create_directories(path_ + "/x");
  const auto replaced = WritePrivateFile(path_, "x");
  ASSERT_FALSE(replaced.ok());
  EXPECT_TRUE(replaced.error().message().starts_with("cannot replace " + path_ + ": "))
      << replaced.error().message();
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

// A limit of the file size lets the first write write a part, and the next one fail.
TEST_F(PrivateFileTest, DiskIsFull_FailsAndLeavesNoFile) {
  ASSERT_TRUE(WritePrivateFile(path_, "before").ok());
  const std::ptrdiff_t open = OpenFiles();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{.rlim_cur = 10, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto written = WritePrivateFile(path_, std::string(100, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message(), "cannot write " + path_ + ".new: File too large");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
  EXPECT_EQ(Read(path_), "before");
  ASSERT_TRUE(WritePrivateFile(path_, "after").ok());
  EXPECT_EQ(OpenFiles(), open) << "every file is closed";
}

}  // namespace
}  // namespace kinformer::apiserver
