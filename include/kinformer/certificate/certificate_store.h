// kinformer/certificate/certificate_store.h
//
// certificate::Store: where a certificate::Manager (certificate_manager.h) keeps its certificate
// between two runs of the program. FileStore keeps it in files, in the form of client-go, which a
// kubelet reads, too.
//
//   auto store = certificate::NewFileStore(env, {.pair_name_prefix = "agent",
//                                                .certificate_directory = "/var/lib/agent/pki"});

#ifndef KINFORMER_CERTIFICATE_CERTIFICATE_STORE_H_
#define KINFORMER_CERTIFICATE_CERTIFICATE_STORE_H_

#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/certificate/cert.h"

namespace kinformer::certificate {

// Keeps one pair. Its functions may block; a manager calls them one at a time, on the thread of
// NewManager and later on env.pool(), or on the library's own threads for a FileStore. An exception
// is the error of that call.
class Store {
 public:
  virtual ~Store() = default;
  // Returns the pair. kNotFound: there is none yet, which is no fault; client-go says
  // NoCertKeyError.
  virtual Result<CertificatePair> Current() = 0;
  // Replaces the pair. After an error the manager uses the new pair all the same, and does not ask
  // again.
  virtual Result<void> Update(const CertificatePair& pair) = 0;
};

// Names of the files.
struct FileStoreOptions {
  std::string pair_name_prefix{};       // "kubelet-client"
  std::string certificate_directory{};  // created if it is missing
  std::string key_directory{};          // empty: certificate_directory; only read
  // A pair of another program that is read while there is none of this store. Empty: PREFIX.crt
  // and PREFIX.key in the directories.
  std::string cert_file{};
  std::string key_file{};
};

// Keeps a pair in PREFIX-current.pem, a link to a file PREFIX-2026-03-01-10-00-00.pem of the time
// when it was written, in UTC. That has the certificates and then the key, and only its owner can
// read it. Both are replaced at once by a rename after they are on the disk, so that a reader sees
// the old pair or the new one, whenever the machine stops. Earlier files stay.
//
// Thread-compatible. Blocks on the disk. Errors: kConfig, with the file. Counterpart:
// certificate.FileStore.
class FileStore final : public Store {
 public:
  FileStore(Env& env, FileStoreOptions options);

  // Returns the pair. kConfig: one of its files is malformed or cannot be read.
  Result<CertificatePair> Current() override;
  Result<void> Update(const CertificatePair& pair) override;
  // Returns the path of the link: for a kubeconfig that names it as certificate and as key.
  [[nodiscard]] std::string CurrentPath() const;

 private:
  [[nodiscard]] std::string PathOf(const std::string& suffix) const;
  [[nodiscard]] Result<void> Link(const std::string& file) const;

  Env& env_;
  FileStoreOptions options_;
};

// Creates a FileStore. kInvalidArgument: prefix or directory is missing, or only one of cert_file
// and key_file is given.
Result<std::shared_ptr<FileStore>> NewFileStore(Env& env, FileStoreOptions options);

}  // namespace kinformer::certificate

#endif  // KINFORMER_CERTIFICATE_CERTIFICATE_STORE_H_
