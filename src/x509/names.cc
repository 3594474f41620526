#include "x509/names.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>

#include "x509/address.h"

namespace kinformer::internal::x509 {
namespace {

bool AddField(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

std::string TextOf(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

// The form of a host name, with the underscores that some have. OpenSSL would take any bytes.
bool IsDnsName(std::string_view name) {
  if (name.starts_with("*.")) name.remove_prefix(2);
  return !name.empty() && name.size() <= 253 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
         });
}

// Appends a name whose value is an ASN.1 string of that kind.
bool Append(GENERAL_NAMES* names, int kind, ASN1_STRING* value, const void* data,
            std::size_t size) {
  GENERAL_NAME* const name = GENERAL_NAME_new();
  if (name != nullptr && value != nullptr) {
    GENERAL_NAME_set0_value(name, kind, value);
    if (ASN1_STRING_set(value, data, static_cast<int>(size)) == 1 &&
        sk_GENERAL_NAME_push(names, name) != 0) {
      return true;
    }
  }
  GENERAL_NAME_free(name);
  return false;
}

// Returns 4 or 16 bytes; none if it is no address.
std::string AddressBytes(const std::string& address) {
  std::array<char, sizeof(in6_addr)> bytes{};
  if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) return {bytes.data(), bytes.size()};
  return {};
}

std::string AddressText(const std::string& bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = bytes.size() == 4 ? AF_INET : AF_INET6;
  if (bytes.size() != 4 && bytes.size() != sizeof(in6_addr)) return {};
  inet_ntop(family, bytes.data(), text.data(), text.size());
  return text.data();
}

}  // namespace

std::string CanonicalAddress(const std::string& address) {
  const std::string bytes = AddressBytes(address);
  return bytes.empty() ? address : AddressText(bytes);
}

bool IsAddress(const std::string& host) { return !AddressBytes(host).empty(); }

cert::AltNames Sorted(const std::vector<std::string>& hosts) {
  cert::AltNames names;
  for (const std::string& host : hosts) {
    (IsAddress(host) ? names.ips : names.dns_names).push_back(host);
  }
  return names;
}

bool SetSubject(X509_NAME* name, const cert::Subject& subject) {
  for (const std::string& organization : subject.organizations) {
    if (!AddField(name, "O", organization)) return false;
  }
  return subject.common_name.empty() || AddField(name, "CN", subject.common_name);
}

Result<NamesPtr> AltNamesValue(const cert::AltNames& names) {
  if (names.dns_names.empty() && names.ips.empty()) return NamesPtr();
  NamesPtr out(sk_GENERAL_NAME_new_null());
  if (out == nullptr) return TlsError("making names");
  for (const std::string& name : names.dns_names) {
    if (!IsDnsName(name)) {
      return Error(Reason::kConfig, "\"" + name + "\" is neither a DNS name nor an IP address");
    }
    if (!Append(out.get(), GEN_DNS, ASN1_IA5STRING_new(), name.data(), name.size())) {
      return TlsError("making names");
    }
  }
  for (const std::string& address : names.ips) {
    const std::string bytes = AddressBytes(address);
    if (bytes.empty()) return Error(Reason::kConfig, "\"" + address + "\" is not an IP address");
    if (!Append(out.get(), GEN_IPADD, ASN1_OCTET_STRING_new(), bytes.data(), bytes.size())) {
      return TlsError("making names");
    }
  }
  return out;
}

cert::Subject SubjectOf(const X509_NAME* name) {
  cert::Subject subject;
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const X509_NAME_ENTRY* const entry = X509_NAME_get_entry(name, i);
    const int nid = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    const std::string text = TextOf(X509_NAME_ENTRY_get_data(entry));
    if (nid == NID_commonName) subject.common_name = text;
    if (nid == NID_organizationName) subject.organizations.push_back(text);
  }
  return subject;
}

cert::AltNames AltNamesOf(const GENERAL_NAMES* names) {
  cert::AltNames out;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names); ++i) {
    int kind = 0;
    const auto* const value = static_cast<const ASN1_STRING*>(
        GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, i), &kind));
    if (kind == GEN_DNS) out.dns_names.push_back(TextOf(value));
    if (kind == GEN_IPADD) out.ips.push_back(AddressText(TextOf(value)));
  }
  return out;
}

}  // namespace kinformer::internal::x509
