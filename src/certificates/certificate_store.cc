#include "kinformer/certificate/certificate_store.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text/regular_file.h"
#include "base/text/replace_file.h"
#include "object/values/text_forms.h"
#include "transport/tls_material.h"

namespace kinformer::certificate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

Error FileError(const std::string& path, const std::string& why) {
  return Error(Reason::kConfig, path + ": " + why);
}

Result<std::string> Read(const std::string& path) {
  Result<std::string> text = internal::base::ReadRegularFile(path, kMaxBytes);
  if (!text) return FileError(path, text.error().message());
  return text;
}

// Whether there is something of that name, even a link that leads nowhere.
bool Exists(const std::string& path) {
  std::error_code code;
  return fs::symlink_status(path, code).type() != fs::file_type::not_found;
}

// Returns the PEM blocks whose type ends with `type`, as they stand in the text.
std::string Blocks(const std::string& text, const std::string& type) {
  std::string out;
  const std::string begin = "-----BEGIN ";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    const std::size_t name = at + begin.size();
    const std::size_t name_end = text.find("-----", name);
    if (name_end == std::string::npos) break;
    const std::string found = text.substr(name, name_end - name);
    const std::string last = "-----END " + found + "-----";
    const std::size_t end = text.find(last, name_end);
    if (end == std::string::npos) break;
    if (found.ends_with(type)) out += text.substr(at, end + last.size() - at) + "\n";
    at = end + last.size();
  }
  return out;
}

Result<CertificatePair> Checked(CertificatePair pair, const std::string& place) {
  Result<void> good = internal::transport::CheckKeyPair(pair.cert_pem, pair.key_pem, place);
  if (!good) return good.error();
  return pair;
}

Result<CertificatePair> ReadPair(const std::string& cert_file, const std::string& key_file) {
  Result<std::string> cert = Read(cert_file);
  if (!cert) return cert.error();
  Result<std::string> key = Read(key_file);
  if (!key) return key.error();
  CertificatePair pair{.cert_pem = Blocks(*cert, "CERTIFICATE"),
                       .key_pem = Blocks(*key, "PRIVATE KEY")};
  const std::string place = cert_file == key_file ? cert_file : cert_file + " with " + key_file;
  return Checked(std::move(pair), place);
}

// Returns "2026-03-01-10-00-00".
std::string TimeName(WallTime time) {
  std::string text;
  internal::AppendRfc3339(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count(),
                          text);
  for (char& c : text) {
    if (c == 'T' || c == ':') c = '-';
  }
  text.pop_back();
  return text;
}

}  // namespace

FileStore::FileStore(Env& env, FileStoreOptions options)
    : env_(env), options_(std::move(options)) {}

std::string FileStore::PathOf(const std::string& suffix) const {
  return options_.certificate_directory + "/" + options_.pair_name_prefix + suffix;
}

std::string FileStore::CurrentPath() const { return PathOf("-current.pem"); }

Result<CertificatePair> FileStore::Current() {
  if (Exists(CurrentPath())) return ReadPair(CurrentPath(), CurrentPath());
  if (!options_.cert_file.empty()) {
    if (Exists(options_.cert_file) && Exists(options_.key_file)) {
      return ReadPair(options_.cert_file, options_.key_file);
    }
  }
  const std::string& keys =
      options_.key_directory.empty() ? options_.certificate_directory : options_.key_directory;
  const std::string key_file = keys + "/" + options_.pair_name_prefix + ".key";
  if (Exists(PathOf(".crt")) && Exists(key_file)) return ReadPair(PathOf(".crt"), key_file);
  return Error(Reason::kNotFound, "no certificate and key at " + CurrentPath());
}

Result<void> FileStore::Update(const CertificatePair& pair) {
  Result<CertificatePair> good = Checked(pair, "the new certificate");
  if (!good) return good.error();
  std::error_code code;
  fs::create_directories(options_.certificate_directory, code);
  if (code) return FileError(options_.certificate_directory, code.message());
  const std::string path = PathOf("-" + TimeName(env_.WallNow()) + ".pem");
  const std::string text =
      Blocks(pair.cert_pem, "CERTIFICATE") + Blocks(pair.key_pem, "PRIVATE KEY");
  if (Result<void> written = internal::base::ReplaceFile(path, text); !written) return written;
  return Link(path);
}

Result<void> FileStore::Link(const std::string& file) const {
  const std::string current = CurrentPath();
  std::error_code code;
  if (Exists(current) && !fs::is_symlink(current, code)) {
    return FileError(current, "is not a link, and is not replaced: move it away");
  }
  const std::string next = PathOf("-updated.pem");
  fs::remove(next, code);
  fs::create_symlink(fs::path(file).filename(), next, code);
  if (code) return FileError(next, code.message());
  fs::rename(next, current, code);
  if (code) return FileError(current, code.message());
  return {};
}

Result<std::shared_ptr<FileStore>> NewFileStore(Env& env, FileStoreOptions options) {
  const char* missing = options.pair_name_prefix.empty()        ? "pair_name_prefix"
                        : options.certificate_directory.empty() ? "certificate_directory"
                                                                : nullptr;
  if (missing != nullptr) {
    return Error(Reason::kInvalidArgument,
                 std::string("FileStoreOptions::") + missing + " is empty");
  }
  if (options.cert_file.empty() != options.key_file.empty()) {
    return Error(Reason::kInvalidArgument,
                 "FileStoreOptions::cert_file and key_file are given together");
  }
  return std::make_shared<FileStore>(env, std::move(options));
}

}  // namespace kinformer::certificate
