// client/page_tokens.h
//
// PageTokens: whether a list that comes in pages gets anywhere.

#ifndef KINFORMER_CLIENT_PAGE_TOKENS_H_
#define KINFORMER_CLIENT_PAGE_TOKENS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "kinformer/error.h"
#include "kinformer/result.h"

namespace kinformer::internal::client {

// A server whose continue tokens repeat would be asked for pages for ever. Any circle is found, at
// the latest after three times as many pages as it has before and in it, by remembering one token
// (Brent's algorithm). Thread-compatible. client-go goes round.
class PageTokens {
 public:
  // The token of the next page. An error where the list goes in a circle.
  [[nodiscard]] Result<void> Next(const std::string& token) {
    if (token == remembered_) {
      return Error(Reason::kDecode,
                   "the list goes in a circle: the server gave the same continue token twice");
    }
    if (++since_ < distance_) return {};
    remembered_ = token;
    since_ = 0;
    distance_ *= 2;
    return {};
  }

 private:
  std::string remembered_;  // empty: none
  std::uint64_t since_ = 0;
  std::uint64_t distance_ = 1;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_PAGE_TOKENS_H_
