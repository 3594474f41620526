// base/text/redacted_url.h

#ifndef KINFORMER_BASE_TEXT_REDACTED_URL_H_
#define KINFORMER_BASE_TEXT_REDACTED_URL_H_

#include <string>
#include <string_view>

namespace kinformer::internal::base {

// `url`, whole or broken, without what may be a user name and a password: all from the scheme to
// the last '@' is "--- REDACTED ---". For messages and logs.
std::string RedactedUrl(std::string_view url);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_REDACTED_URL_H_
