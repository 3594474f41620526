// base/text/redacted_url.h

#ifndef KINFORMER_BASE_TEXT_REDACTED_URL_H_
#define KINFORMER_BASE_TEXT_REDACTED_URL_H_

#include <string>
#include <string_view>

namespace kinformer::internal::base {

// Returns `url`, valid or not, without a possible user name and password: everything from the
// scheme to the last '@' becomes "--- REDACTED ---". For messages and logs.
std::string RedactedUrl(std::string_view url);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_REDACTED_URL_H_
