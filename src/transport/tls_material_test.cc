// Certificates from options and files, and the exact texts about those that are of no use.

#include "transport/tls_material.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <optional>
#include <string>
#include <unistd.h>

#include "transport/loopback_server_for_test.h"

namespace kinformer::internal::transport {
namespace {

// The same key, protected by a pass phrase.
std::string Locked(const std::string& key) {
  BIO* const in = BIO_new_mem_buf(key.data(), static_cast<int>(key.size()));
  EVP_PKEY* const parsed = PEM_read_bio_PrivateKey(in, nullptr, nullptr, nullptr);
  BIO* const out = BIO_new(BIO_s_mem());
  const unsigned char phrase[] = {'w', 'o', 'r', 'd'};
  EXPECT_EQ(PEM_write_bio_PKCS8PrivateKey(out, parsed, EVP_aes_128_cbc(),
                                          reinterpret_cast<const char*>(phrase), sizeof phrase,
                                          nullptr, nullptr),
            1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(out);
  EVP_PKEY_free(parsed);
  BIO_free(in);
  return text;
}

class TlsMaterialTest : public ::testing::Test {
 protected:
  TlsMaterialTest() {
    const std::string pattern = (std::filesystem::temp_directory_path() / "tls_XXXXXX").string();
    std::string name = pattern;
    dir_ = ::mkdtemp(name.data());
  }
  ~TlsMaterialTest() override { std::filesystem::remove_all(dir_); }
  std::string File(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
    return dir_ / name;
  }
  // The error's text; the thread's OpenSSL errors are as before.
  static std::string Refused(const TlsOptions& options) {
    const Result<TlsMaterial> got = LoadTlsMaterial(options);
    EXPECT_EQ(ERR_peek_error(), 0U);
    if (got) return "no error";
    EXPECT_EQ(got.error().reason(), Reason::kConfig);
    return got.error().message();
  }

  std::filesystem::path dir_;
  const TestCertificate ca_ = MakeTestCa("ca");
  const TestCertificate one_ = MakeTestCertificate(ca_, "one");
  const TestCertificate two_ = MakeTestCertificate(ca_, "two");
};

TEST_F(TlsMaterialTest, Nothing_IsNothing) {
  EXPECT_EQ(LoadTlsMaterial({}).OrExit(), TlsMaterial());
  EXPECT_EQ(LoadTlsMaterial({.insecure_skip_verify = true}).OrExit(), TlsMaterial());
  EXPECT_FALSE(UsesFiles({}));
}

TEST_F(TlsMaterialTest, EachPart_ComesFromItsTextOrElseFromItsFile) {
  const std::string ca = File("ca", ca_.cert);
  const std::string cert = File("cert", one_.cert);
  const std::string key = File("key", one_.key);
  const TlsMaterial whole{ca_.cert, one_.cert, one_.key};
  EXPECT_EQ(
      LoadTlsMaterial({.ca_pem = ca_.cert, .cert_pem = one_.cert, .key_pem = one_.key}).OrExit(),
      whole);
  EXPECT_EQ(LoadTlsMaterial({.ca_file = ca, .cert_file = cert, .key_file = key}).OrExit(), whole);
  EXPECT_EQ(LoadTlsMaterial({.cert_pem = one_.cert, .key_file = key}).OrExit(),
            (TlsMaterial{"", one_.cert, one_.key}));
  EXPECT_EQ(LoadTlsMaterial({.cert_file = cert, .key_pem = one_.key}).OrExit(),
            (TlsMaterial{"", one_.cert, one_.key}));
  // A file is not read beside a text.
  EXPECT_EQ(LoadTlsMaterial({.ca_pem = ca_.cert,
                             .ca_file = "/missing",
                             .cert_pem = one_.cert,
                             .cert_file = "/missing",
                             .key_pem = one_.key,
                             .key_file = "/missing"})
                .OrExit(),
            whole);
  EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST_F(TlsMaterialTest, FilesThatCount_AreThoseWithoutAText) {
  struct Row {
    TlsOptions options;
    bool uses;
  };
  for (const Row& row :
       {Row{{.ca_file = "f"}, true}, Row{{.cert_file = "f"}, true}, Row{{.key_file = "f"}, true},
        Row{{.ca_pem = "p"}, false}, Row{{.cert_pem = "p"}, false}, Row{{.key_pem = "p"}, false},
        Row{{.ca_pem = "p", .ca_file = "f"}, false},
        Row{{.cert_pem = "p", .cert_file = "f"}, false},
        Row{{.key_pem = "p", .key_file = "f"}, false},
        Row{{.ca_pem = "p", .ca_file = "f", .key_file = "f"}, true}}) {
    EXPECT_EQ(UsesFiles(row.options), row.uses)
        << row.options.ca_pem << row.options.ca_file << "," << row.options.cert_pem
        << row.options.cert_file << "," << row.options.key_pem << row.options.key_file;
  }
}

// In Go an empty file trusts nobody, so that each request fails; here it is an error at once, too.
TEST_F(TlsMaterialTest, Ca_WithoutTextIsTheSystemsAndAnythingElseIsPem_TR06) {
  CaResult state{};
  EXPECT_EQ(LoadTlsMaterial({}, &state).OrExit().ca, "");
  EXPECT_EQ(state, CaResult::kRead);
  const struct {
    std::string text;
    CaResult state;
  } rows[] = {{"", CaResult::kEmpty}, {"\n", CaResult::kNoPem}, {"hello", CaResult::kNoPem}};
  for (const auto& row : rows) {
    const std::string file = File("ca", row.text);
    EXPECT_FALSE(LoadTlsMaterial({.ca_file = file}, &state).ok()) << row.text;
    EXPECT_EQ(state, row.state) << row.text;
    EXPECT_NE(Refused({.ca_file = file}).find("no PEM certificate"), std::string::npos);
  }
  EXPECT_FALSE(LoadTlsMaterial({.ca_file = dir_ / "missing"}, &state).ok());
  EXPECT_EQ(state, CaResult::kCannotRead);
  EXPECT_EQ(LoadTlsMaterial({.ca_file = File("ca", ca_.cert)}, &state).OrExit().ca, ca_.cert);
  EXPECT_EQ(state, CaResult::kRead);
  EXPECT_FALSE(LoadTlsMaterial({.ca_pem = ca_.cert, .cert_file = dir_ / "missing"}, &state).ok());
  EXPECT_EQ(state, CaResult::kRead) << "another file is at fault";
}

TEST_F(TlsMaterialTest, Unusable_IsNamedWithItsSource) {
  const std::string text = File("text", "hello");
  const std::string exclusive =
      "certificate-authority and insecure-skip-tls-verify exclude each other: remove one";
  const std::string no_ca = ": no PEM certificate in it (-----BEGIN CERTIFICATE-----)";
  const std::string no_cert = ": the certificate is not PEM (-----BEGIN CERTIFICATE-----)";
  const std::string no_key = ": the key is not a PEM private key without pass phrase";
  const std::string other = ": the private key is not the certificate's";
  const std::string no_key_given = "client-certificate is given without client-key: give both";
  const std::string no_cert_given = "client-key is given without client-certificate: give both";
  struct Row {
    TlsOptions options;
    std::string message;
  };
  for (const Row& row : {
           Row{{.ca_pem = "x"}, "certificate-authority (inline data)" + no_ca},
           Row{{.ca_pem = "x", .ca_file = "f"}, "certificate-authority (inline data)" + no_ca},
           Row{{.ca_file = text}, "certificate-authority (" + text + ")" + no_ca},
           Row{{.ca_file = "/dev/null"}, "certificate-authority (/dev/null)" + no_ca},
           Row{{.insecure_skip_verify = true, .ca_pem = ca_.cert}, exclusive},
           Row{{.insecure_skip_verify = true, .ca_file = text}, exclusive},
           Row{{.cert_pem = one_.cert}, no_key_given},
           Row{{.cert_file = text}, no_key_given},
           Row{{.key_pem = one_.key}, no_cert_given},
           Row{{.key_file = text}, no_cert_given},
           Row{{.cert_pem = "x", .key_pem = one_.key},
               "client-certificate (inline data)" + no_cert},
           Row{{.cert_file = text, .key_pem = one_.key},
               "client-certificate (" + text + ")" + no_cert},
           Row{{.cert_pem = one_.cert, .key_pem = "x"},
               "client-certificate (inline data)" + no_key},
           Row{{.cert_pem = one_.cert, .key_file = text},
               "client-certificate (inline data)" + no_key},
           Row{{.cert_pem = one_.cert, .key_pem = two_.key},
               "client-certificate (inline data)" + other},
           Row{{.cert_pem = one_.cert, .key_pem = Locked(one_.key)},
               "client-certificate (inline data)" + no_key},
       }) {
    EXPECT_EQ(Refused(row.options), row.message);
  }
}

TEST_F(TlsMaterialTest, FileThatCannotBeRead_IsNamedWithItsOption) {
  const std::string missing = dir_ / "missing";
  for (const auto& [options, option] :
       {std::pair<TlsOptions, std::string>{{.ca_file = missing}, "certificate-authority"},
        {{.cert_file = missing, .key_pem = one_.key}, "client-certificate"},
        {{.cert_pem = one_.cert, .key_file = missing}, "client-key"}}) {
    EXPECT_EQ(Refused(options).rfind("unable to read " + option + " " + missing + ": ", 0), 0U)
        << Refused(options);
  }
}

TEST_F(TlsMaterialTest, File_HasAtMost16Mebibytes) {
  constexpr std::uintmax_t kMost = 16U << 20U;
  const std::string file = File("large", ca_.cert);
  std::filesystem::resize_file(file, kMost);
  EXPECT_EQ(Refused({.ca_file = file}), "no error");
  std::filesystem::resize_file(file, kMost + 1);
  EXPECT_EQ(Refused({.ca_file = file}).rfind("unable to read certificate-authority ", 0), 0U);
}

TEST_F(TlsMaterialTest, Pair_IsCheckedAlone) {
  EXPECT_TRUE(CheckKeyPair(one_.cert, one_.key, "it").ok());
  EXPECT_TRUE(CheckKeyPair(one_.cert + ca_.cert, one_.key, "it").ok()) << "with its chain";
  EXPECT_EQ(CheckKeyPair(one_.cert, two_.key, "it").error().message(),
            "it: the private key is not the certificate's");
  EXPECT_EQ(CheckKeyPair(one_.cert, "", "it").error().message(),
            "it: the key is not a PEM private key without pass phrase");
  EXPECT_EQ(CheckKeyPair("", one_.key, "it").error().message(),
            "it: the certificate is not PEM (-----BEGIN CERTIFICATE-----)");
}

}  // namespace
}  // namespace kinformer::internal::transport
