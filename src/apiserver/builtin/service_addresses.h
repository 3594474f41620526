// apiserver/builtin/service_addresses.h
//
// ServiceAddresses: the cluster addresses and node ports that Services get when they ask for none.

#ifndef KINFORMER_APISERVER_BUILTIN_SERVICE_ADDRESSES_H_
#define KINFORMER_APISERVER_BUILTIN_SERVICE_ADDRESSES_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {

// Addresses are given out one after the other, and again once all the others have been.
// Loop-confined, never blocks.
class ServiceAddresses {
 public:
  // `range`: "10.96.0.0/12". Without a range that can be read no addresses are given out.
  explicit ServiceAddresses(std::string_view range);
  // Whether that can be read as a range.
  static bool IsRange(std::string_view range) { return ServiceAddresses(range).last_ != 0; }

  // The first of a range, which is that of the server itself and not given out; empty where that
  // cannot be read.
  static std::string OfServer(std::string_view range);

  // Fills in what a Service of its type has: clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy,
  // nodePort. `old`: null for a new one. Nothing is taken before Take. Empty: all went well.
  std::vector<StatusCause> Assign(const json::Value& old, json::Value& service);

  // A Service has been stored under that key, or is gone.
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

  // What one Service has.
  struct Held {
    std::optional<std::uint32_t> address{};
    std::vector<std::int64_t> ports{};
  };

  std::uint32_t first_ = 0;  // neither of the two is given out
  std::uint32_t last_ = 0;
  std::uint32_t next_ = 0;
  std::int64_t next_port_ = 0;
  std::set<std::uint32_t> addresses_{};
  std::multiset<std::int64_t> ports_{};
  std::unordered_map<std::string, Held> held_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_SERVICE_ADDRESSES_H_
