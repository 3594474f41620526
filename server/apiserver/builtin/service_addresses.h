// apiserver/builtin/service_addresses.h
//
// ServiceAddresses: allocates cluster addresses and node ports to Services that request none.

#ifndef KINFORMER_APISERVER_BUILTIN_SERVICE_ADDRESSES_H_
#define KINFORMER_APISERVER_BUILTIN_SERVICE_ADDRESSES_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {

// Allocates addresses in rotation; a released one is reused only after all others. Loop-confined,
// never blocks.
class ServiceAddresses {
 public:
  // `range`: "10.96.0.0/12". Allocates no addresses if the range cannot be parsed.
  explicit ServiceAddresses(std::string_view range);
  // Returns whether `range` is a valid CIDR range.
  static bool IsRange(std::string_view range) { return ServiceAddresses(range).last_ != 0; }

  // Returns the range's first address, reserved for the API server itself; empty if the range
  // cannot be parsed.
  static std::string OfServer(std::string_view range);

  // Fills in the fields for the Service's type: clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy,
  // nodePort. `old`: null for a new one. Reserves nothing until Take. Returns the problems found.
  std::vector<StatusCause> Assign(const json::Value& old, json::Value& service);

  // Take records the addresses of a stored Service under its key; Release frees them.
  void Take(const std::string& key, const json::Value& service);
  void Release(const std::string& key);

 private:
  std::string FreeAddress();
  std::int64_t FreePort(const std::set<std::int64_t>& taken_here);
  [[nodiscard]] bool InRange(std::uint32_t address) const {
    return address > first_ && address < last_;
  }
  void AssignAddress(const json::Value& old, json::Value& spec, std::vector<StatusCause>& causes);
  void AssignPorts(const json::Value& old, json::Value& spec);

  // Addresses and ports of one Service.
  struct Held {
    std::optional<std::uint32_t> address{};
    std::vector<std::int64_t> ports{};
  };

  std::uint32_t first_ = 0;  // first and last are not allocated
  std::uint32_t last_ = 0;
  std::uint32_t next_ = 0;
  std::int64_t next_port_;
  std::set<std::uint32_t> addresses_{};
  std::multiset<std::int64_t> ports_{};
  std::unordered_map<std::string, Held> held_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_SERVICE_ADDRESSES_H_
