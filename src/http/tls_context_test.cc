// TLS contexts: what they accept, the errors for what they do not, and names of clients.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509v3.h>
#include <string>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>

#include "http/tls_client_for_test.h"

namespace kinformer::internal::http {
namespace {

using Next = ByteStream::Next;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Returns the time by which OpenSSL judges certificates.
WallTime Today() {
  return WallTime(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

std::string PemOf(X509* cert) {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), &BIO_free);
  PEM_write_bio_X509(bio.get(), cert);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

// Returns the certificate with a key that OpenSSL considers too weak.
std::string Weak(const std::string& pem) {
  const KeyPtr key(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{512}), &EVP_PKEY_free);
  const CertPtr cert = ParseCert(pem);
  X509_set_pubkey(cert.get(), key.get());
  EXPECT_NE(X509_sign(cert.get(), key.get(), EVP_sha256()), 0);
  return PemOf(cert.get());
}

TEST(TlsContext, UnusableMaterial_IsExplained) {
  const TlsForTest& tls = TlsForTest::Shared();
  auto other = x509::TlsAuthority::Make("other", {}).OrExit();
  const std::string cert = tls.server.cert_pem;
  const std::string key = tls.server.key_pem;
  const std::string kCert = "the server's certificate cannot be used: ";
  const std::string kKey = "the server's private key cannot be used: ";
  struct Row {
    TlsServerMaterial material;
    std::string message;
    std::string reason;
  };
  for (const Row& row :
       std::vector<Row>{{{"", key, ""}, kCert, "no start line"},
                        {{"x", key, ""}, kCert, "no start line"},
                        {{Weak(cert), key, ""}, kCert, "key too small"},
                        {{cert + Weak(other.ca_pem()), key, ""}, kCert, "key too small"},
                        {{cert, "x", ""}, kKey, "; PEM is expected"},
                        {{cert, "", ""}, kKey, "; PEM is expected"},
                        {{cert, other.key_pem(), ""}, kKey, "key values mismatch"},
                        {{cert + other.ca_pem(), other.key_pem(), ""}, kKey, "key values mismatch"},
                        {{cert, key, "x"},
                         "the authority of client certificates cannot be used: ",
                         "nothing usable in it"}}) {
    SCOPED_TRACE(row.message + row.reason);
    ERR_clear_error();
    ERR_raise(ERR_LIB_USER, ERR_R_INTERNAL_ERROR);  // an error of somebody else
    const auto made = NewTlsContext(row.material, true);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().reason(), Reason::kConfig);
    EXPECT_THAT(made.error().message(), StartsWith(row.message));
    EXPECT_THAT(made.error().message(), HasSubstr(row.reason));
    EXPECT_THAT(made.error().message(), ::testing::EndsWith("; PEM is expected"));
    EXPECT_THAT(made.error().message(), ::testing::Not(HasSubstr("internal error")));
    EXPECT_EQ(ERR_peek_error(), 0U) << "no error is left for the next call";
  }
}

TEST(TlsContext, UsableMaterial_LeavesNoError) {
  const TlsForTest& tls = TlsForTest::Shared();
  for (const bool clients : {false, true}) {
    const TlsContext context = tls.Context(true, clients);
    EXPECT_EQ(ERR_peek_error(), 0U);
    EXPECT_EQ(SSL_CTX_get_verify_mode(context.get()), clients ? SSL_VERIFY_PEER : SSL_VERIFY_NONE);
  }
}

// Idle connections hold no buffers, and nothing is kept to resume sessions.
TEST(TlsContext, Settings_AreForManyIdleConnections) {
  const TlsContext context = TlsForTest::Shared().Context();
  SSL_CTX* const native = context.get();
  EXPECT_EQ(SSL_CTX_get_min_proto_version(native), TLS1_2_VERSION);
  constexpr auto kOptions = SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION;
  EXPECT_EQ(SSL_CTX_get_options(native) & kOptions, kOptions);
  constexpr auto kMode = SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                         SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER;
  EXPECT_EQ(SSL_CTX_get_mode(native) & kMode, kMode);
  EXPECT_EQ(SSL_CTX_get_read_ahead(native), 1);
  EXPECT_EQ(SSL_CTX_get_session_cache_mode(native), SSL_SESS_CACHE_OFF);
  EXPECT_EQ(SSL_CTX_get_num_tickets(native), 0U);
}

TEST(TlsContext, Certificate_CoversItsNames) {
  const TlsContext context = TlsForTest::Shared().Context();
  for (const auto& [name, covered] : std::vector<std::pair<std::string, bool>>{
           {"localhost", true},
           {"LocalHost", true},
           {"x.a.b", true},
           {"a.b", false},
           {"x.y.a.b", false},
           {"127.0.0.1", true},
           {"127.0.0.2", false},
           {"::1", true},
           {"::2", false},
           {"other", false},
           {"kube-apiserver", false}}) {  // its common name, which clients ignore
    EXPECT_EQ(IsCertifiedFor(context, name), covered) << name;
  }
  const TlsContext empty(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  EXPECT_FALSE(IsCertifiedFor(empty, "localhost"));
}

// Makes the connection of a client. Returns how the handshake of the server ends.
struct Met {
  Met(const TlsContext& context, const TlsClient::Options& options) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    boost::asio::ip::tcp::socket socket(io);
    socket.assign(boost::asio::ip::tcp::v4(), ends[0]);
    stream = NewTlsStream(std::move(socket), context);
    client = std::make_unique<TlsClient>(ends[1], options);
    for (int i = 0; i < 10 && next == Next::kWaitRead; ++i) {
      client->Shake();
      next = stream->Handshake();
    }
    client->Shake();
  }
  boost::asio::io_context io{1};
  Next next = Next::kWaitRead;
  std::unique_ptr<ByteStream> stream{};
  std::unique_ptr<TlsClient> client{};
};

TEST(TlsContext, Chain_IsSent) {
  const TlsForTest& tls = TlsForTest::Shared();
  auto other = x509::TlsAuthority::Make("other", {}).OrExit();
  const Met met(
      NewTlsContext({.cert_pem = tls.server.cert_pem + tls.authority.ca_pem() + other.ca_pem(),
                     .key_pem = tls.server.key_pem,
                     .client_ca_pem = {}},
                    true)
          .OrExit(),
      {});
  ASSERT_EQ(met.next, Next::kAgain);
  STACK_OF(X509)* const chain = SSL_get_peer_cert_chain(met.client->ssl());
  ASSERT_EQ(sk_X509_num(chain), 3);
  EXPECT_EQ(PemOf(sk_X509_value(chain, 0)), tls.server.cert_pem);
  EXPECT_EQ(PemOf(sk_X509_value(chain, 1)), tls.authority.ca_pem());
  EXPECT_EQ(PemOf(sk_X509_value(chain, 2)), other.ca_pem());
}

TEST(TlsContext, Clients_AreAskedForCertificatesOfTheAuthorities) {
  TlsForTest& tls = TlsForTest::Shared();
  const auto real = x509::TlsAuthority::Make("real", Today()).OrExit();
  const TlsContext context =
      NewTlsContext({.cert_pem = tls.server.cert_pem,
                     .key_pem = tls.server.key_pem,
                     .client_ca_pem = tls.authority.ca_pem() + real.ca_pem()},
                    true)
          .OrExit();
  const Met met(context, {});
  EXPECT_EQ(met.next, Next::kAgain) << "a client may have none";
  EXPECT_EQ(met.stream->Peer().common_name, "");
  EXPECT_EQ(sk_X509_NAME_num(SSL_get_client_CA_list(met.client->ssl())), 2);
  const Met unasked(tls.Context(), {});
  EXPECT_LE(sk_X509_NAME_num(SSL_get_client_CA_list(unasked.client->ssl())), 0);
}

// Returns a certificate of `authority` in which the fields of the subject are these.
CertificatePair WithSubject(x509::TlsAuthority& authority,
                            const std::vector<std::tuple<const char*, int, std::string>>& fields) {
  const auto pair = authority.ClientCertificate("x", {}).OrExit();
  const CertPtr cert = ParseCert(pair.cert_pem);
  const std::unique_ptr<X509_NAME, void (*)(X509_NAME*)> name(X509_NAME_new(), &X509_NAME_free);
  for (const auto& [field, type, value] : fields) {
    EXPECT_EQ(X509_NAME_add_entry_by_txt(name.get(), field, type,
                                         reinterpret_cast<const unsigned char*>(value.data()),
                                         static_cast<int>(value.size()), -1, 0),
              1);
  }
  X509_set_subject_name(cert.get(), name.get());
  X509_sign(cert.get(), ParseKey(authority.key_pem()).get(), EVP_sha256());
  return {PemOf(cert.get()), pair.key_pem};
}

TEST(TlsContext, CommonName_IsTheUser) {
  TlsForTest& tls = TlsForTest::Shared();
  auto real = x509::TlsAuthority::Make("real", Today()).OrExit();
  const TlsContext context = NewTlsContext({.cert_pem = tls.server.cert_pem,
                                            .key_pem = tls.server.key_pem,
                                            .client_ca_pem = real.ca_pem()},
                                           true)
                                 .OrExit();
  using Fields = std::vector<std::tuple<const char*, int, std::string>>;
  for (const auto& [fields, user] : std::vector<std::pair<Fields, std::string>>{
           {{{"CN", MBSTRING_UTF8, "jane"}}, "jane"},
           {{{"O", MBSTRING_UTF8, "dev"}, {"CN", MBSTRING_UTF8, "jane"}}, "jane"},
           {{{"CN", V_ASN1_BMPSTRING, std::string("\0j\0\xfc", 4)}}, "j\xc3\xbc"},
           {{{"O", MBSTRING_UTF8, "dev"}}, ""}}) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      const Met met(
          context, {.protocols = {}, .version = version, .certificate = WithSubject(real, fields)});
      EXPECT_EQ(met.next, Next::kAgain);
      EXPECT_EQ(met.stream->Peer().common_name, user);
    }
  }
  const Met grouped(context,
                    {.protocols = {},
                     .version = 0,
                     .certificate = real.ClientCertificate("jane", {"dev", "ops"}).OrExit()});
  EXPECT_EQ(grouped.stream->Peer().organizations, (std::vector<std::string>{"dev", "ops"}));
  // Another authority of the same name.
  auto false_one = x509::TlsAuthority::Make("real", Today()).OrExit();
  const Met met(context, {.protocols = {},
                          .version = 0,
                          .certificate = false_one.ClientCertificate("jane", {}).OrExit()});
  EXPECT_EQ(met.next, Next::kClosed);
}

}  // namespace
}  // namespace kinformer::internal::http
