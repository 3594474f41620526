// apiserver/request/request_info.h
//
// RequestInfo: what a request is about, read from its method and URL alone. The rules are those of
// apiserver's RequestInfoFactory.

#ifndef KINFORMER_APISERVER_REQUEST_REQUEST_INFO_H_
#define KINFORMER_APISERVER_REQUEST_REQUEST_INFO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/result.h"

namespace kinformer::apiserver {

enum class Verb : std::uint8_t {
  kGet,
  kList,
  kWatch,
  kCreate,
  kUpdate,
  kPatch,
  kDelete,
  kDeleteCollection,
  kOther,  // a method that resources do not have
};

// "get", "deletecollection", ...
std::string_view VerbName(Verb verb);

// The query parameters, percent-decoded, in the order sent. Of a repeated parameter the first
// counts.
class Query {
 public:
  Query() = default;
  explicit Query(std::string_view encoded);
  [[nodiscard]] bool Has(std::string_view name) const;
  // Empty where there is none.
  [[nodiscard]] std::string_view Get(std::string_view name) const;
  // All values, in their order.
  [[nodiscard]] std::vector<std::string> All(std::string_view name) const;
  // As Go reads booleans in list options: "0" and "false" are false, everything else is true, the
  // empty text too.
  [[nodiscard]] std::optional<bool> GetBool(std::string_view name) const;
  // An integer, or BadRequest naming the parameter.
  [[nodiscard]] Result<std::optional<std::int64_t>> GetInt(std::string_view name) const;
  void Set(std::string_view name, std::string_view value);

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

struct RequestInfo {
  bool trailing_slash = false;  // which the parts do not show
  bool empty_part = false;      // "//": nothing has such a path
  bool is_resource_request = false;
  std::string path{};  // decoded, without a trailing slash; "/" for the root
  std::vector<std::string> parts{};
  Query query{};
  Verb verb{Verb::kOther};
  // Resource requests only.
  std::string group{};
  std::string version{};
  std::string namespace_{};
  std::string resource{};
  std::string name{};
  std::string subresource{};
};

// BadRequest for a target that is not a path, or is badly percent-encoded.
Result<RequestInfo> ParseRequest(std::string_view method, std::string_view target);

// "%2C" and "+" undone. False for a bad escape.
bool PercentDecode(std::string_view text, bool plus_is_space, std::string& out);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_REQUEST_INFO_H_
