// transport/query.h
//
// Query: the parameters in a request's target.

#ifndef KINFORMER_TRANSPORT_QUERY_H_
#define KINFORMER_TRANSPORT_QUERY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::internal::transport {

// Decodes "%2C", and "+" as a space if asked. Returns false for an invalid escape.
bool PercentDecode(std::string_view text, bool plus_is_space, std::string& out);

// Appends the text with each byte as %XX that is neither a letter, a digit, nor in `plain`.
void PercentEncode(std::string_view text, std::string_view plain, std::string& out);
// The bytes besides letters and digits that stand for themselves in all parts of a URL, and in a
// form.
inline constexpr std::string_view kUnreserved = "-._~";

// The query parameters, percent-decoded, in the order sent. The first one counts if a parameter is
// repeated. Thread-compatible.
class Query {
 public:
  Query() = default;
  explicit Query(std::string_view encoded);
  [[nodiscard]] bool Has(std::string_view name) const;
  // Empty if it is absent.
  [[nodiscard]] std::string_view Get(std::string_view name) const;
  // Returns all values, in their order.
  [[nodiscard]] std::vector<std::string> All(std::string_view name) const;
  // Reads a boolean like Go in list options: "0" and "false" are false, everything else is true,
  // even the empty text.
  [[nodiscard]] std::optional<bool> GetBool(std::string_view name) const;
  // Returns an integer, or BadRequest with the name of the parameter.
  [[nodiscard]] Result<std::optional<std::int64_t>> GetInt(std::string_view name) const;
  void Set(std::string_view name, std::string_view value);

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_QUERY_H_
