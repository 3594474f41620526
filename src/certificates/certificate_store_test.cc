// FileStore: the layout of its files, and what it reads of others.

#include "kinformer/certificate/certificate_store.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <utility>

#include "kinformer/base/simulation.h"

#include "x509/tls_authority.h"

namespace kinformer::certificate {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FileStoreTest : public ::testing::Test {
 protected:
  FileStoreTest() {
    std::string name = (fs::temp_directory_path() / "kinformer-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~FileStoreTest() override { fs::remove_all(folder_); }

  std::shared_ptr<FileStore> Store(FileStoreOptions options = {}) {
    options.pair_name_prefix = "agent";
    options.certificate_directory = Path("pki");
    return NewFileStore(sim_.env(), std::move(options)).OrExit();
  }
  [[nodiscard]] std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  CertificatePair Make(const std::string& user = "jane") {
    return authority_.ClientCertificate(user, {}).OrExit();
  }
  static std::string TextOf(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::trunc) << text;
  }

  // 2026-03-01T10:00:00Z
  Simulation sim_{{.start = WallTime(std::chrono::seconds(1'772'359'200))}};
  internal::x509::TlsAuthority authority_ =
      internal::x509::TlsAuthority::Make("ca", sim_.env().WallNow()).OrExit();
  std::string folder_{};
};

TEST_F(FileStoreTest, PairIsInOneFileOfItsOwnerBehindALink) {
  const auto store = Store();
  EXPECT_EQ(store->CurrentPath(), Path("pki/agent-current.pem"));
  EXPECT_TRUE(IsNotFound(store->Current().error()));
  const CertificatePair first = Make();
  ASSERT_TRUE(store->Update(first).ok());
  EXPECT_EQ(store->Current().OrExit(), first);
  const std::string file = Path("pki/agent-2026-03-01-10-00-00.pem");
  EXPECT_EQ(fs::read_symlink(store->CurrentPath()), "agent-2026-03-01-10-00-00.pem");
  EXPECT_EQ(TextOf(file), first.cert_pem + first.key_pem);
  struct stat status{};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);

  sim_.RunFor(std::chrono::seconds(61));
  const CertificatePair second = Make();
  ASSERT_TRUE(store->Update(second).ok());
  EXPECT_EQ(fs::read_symlink(store->CurrentPath()), "agent-2026-03-01-10-01-01.pem");
  EXPECT_EQ(Store()->Current().OrExit(), second) << "the next run of the program";
  EXPECT_TRUE(fs::exists(file));
  const CertificatePair third = Make();
  ASSERT_TRUE(store->Update(third).ok()) << "in the same second";
  EXPECT_EQ(store->Current().OrExit(), third);
  EXPECT_FALSE(fs::exists(Path("pki/agent-updated.pem")));
}

TEST_F(FileStoreTest, ChainsAreKeptAndOtherTextIsNot) {
  CertificatePair pair = Make();
  const std::string leaf = pair.cert_pem;
  pair.cert_pem = "of jane\n" + leaf + "of the authority\n" + authority_.ca_pem();
  ASSERT_TRUE(Store()->Update(pair).ok());
  EXPECT_EQ(Store()->Current().OrExit().cert_pem, leaf + authority_.ca_pem());
}

TEST_F(FileStoreTest, WriterThatWasKilled_LeavesNothingInTheWay) {
  Write(Path("pki/agent-updated.pem"), "x");
  Write(Path("pki/agent-2026-03-01-10-00-00.pem.new"), "x");
  const CertificatePair pair = Make();
  ASSERT_TRUE(Store()->Update(pair).ok());
  EXPECT_EQ(Store()->Current().OrExit(), pair);
}

TEST_F(FileStoreTest, PairOfAnotherProgram_IsReadUntilThereIsOne) {
  FileStoreOptions options;
  options.key_directory = Path("keys");
  const CertificatePair plain = Make("plain");
  Write(Path("pki/agent.crt"), plain.cert_pem);
  EXPECT_TRUE(IsNotFound(Store(options)->Current().error())) << "there is no key";
  Write(Path("keys/agent.key"), plain.key_pem);
  EXPECT_EQ(Store(options)->Current().OrExit(), plain);
  options.cert_file = Path("tls.crt");
  options.key_file = Path("tls.key");
  EXPECT_EQ(Store(options)->Current().OrExit(), plain) << "the named files do not exist";
  const CertificatePair named = Make("named");
  Write(Path("tls.crt"), named.cert_pem);
  Write(Path("tls.key"), named.key_pem);
  EXPECT_EQ(Store(options)->Current().OrExit(), named);
  const CertificatePair own = Make("own");
  ASSERT_TRUE(Store(options)->Update(own).ok());
  EXPECT_EQ(Store(options)->Current().OrExit(), own);
}

TEST_F(FileStoreTest, MalformedFiles_AreNamed) {
  const auto message = [&] { return Store()->Current().error().message(); };
  Write(Path("pki/agent-current.pem"), "x");
  EXPECT_THAT(message(), StartsWith(Path("pki/agent-current.pem") + ": "));
  Write(Path("pki/agent-current.pem"), Make().cert_pem + Make().key_pem);
  EXPECT_THAT(message(), EndsWith("the private key is not the certificate's"));
  EXPECT_THAT(Store()->Update(Make()).error().message(), HasSubstr("is not a link"));
  fs::remove(Path("pki/agent-current.pem"));
  fs::create_symlink("nowhere.pem", Path("pki/agent-current.pem"));
  EXPECT_FALSE(IsNotFound(Store()->Current().error())) << "a pair is lost, and not: there is none";
  EXPECT_FALSE(Store()->Update({.cert_pem = Make().cert_pem, .key_pem = Make().key_pem}));
}

TEST_F(FileStoreTest, MissingOptions_AreNamed) {
  for (const FileStoreOptions& options :
       {FileStoreOptions{.pair_name_prefix = "", .certificate_directory = "d"},
        FileStoreOptions{.pair_name_prefix = "p", .certificate_directory = ""},
        FileStoreOptions{
            .pair_name_prefix = "p", .certificate_directory = "d", .cert_file = "c"}}) {
    const auto store = NewFileStore(sim_.env(), options);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().reason(), Reason::kInvalidArgument);
  }
}

}  // namespace
}  // namespace kinformer::certificate
