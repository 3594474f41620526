#include "base/text/url.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "base/text/edit_distance.h"
#include "base/text/redacted_url.h"

namespace kinformer::internal::base {
namespace {

// Returns the parts as "scheme|user|host|path|query|fragment".
std::string Parts(const Url& url) {
  return url.scheme + '|' + url.user + '|' + url.host + '|' + url.path + '|' + url.query + '|' +
         url.fragment;
}

TEST(Url, IsSplitIntoPartsAndPutTogether) {
  struct Row {
    const char* text;
    const char* parts;
    const char* again;  // null: the same text
  };
  const Row rows[] = {
      {"", "|||||", nullptr},
      {"h", "||h|||", nullptr},
      {"h:1", "||h:1|||", nullptr},
      {"https://h", "https||h|||", nullptr},
      {"https://h:1/p/q", "https||h:1|/p/q||", nullptr},
      {"https://u:pw@h/p?q=1#f", "https|u:pw|h|/p|q=1|f", nullptr},
      {"https://u@v@h", "https|u@v|h|||", nullptr},
      {"u@h/p@q", "|u|h|/p@q||", nullptr},
      {"a://h", "a||h|||", nullptr},
      {"AbZ://h", "abz||h|||", "abz://h"},
      {"HTTPS://Host/Path", "https||Host|/Path||", "https://Host/Path"},
      {"aZ9+-.://h", "az9+-.||h|||", "az9+-.://h"},
      {"h?q", "||h||q|", nullptr},
      {"h#f", "||h|||f", nullptr},
      {"h#f?g", "||h|||f?g", nullptr},
      {"h?q?r#f#g", "||h||q?r|f#g", nullptr},
      {"h?", "||h|||", "h"},
      {"h#", "||h|||", "h"},
      {"/p", "|||/p||", nullptr},
      {"://h", "||:|//h||", nullptr},
      {"h/a://b", "h/a||b|||", nullptr},
      {"https://", "https|||||", nullptr},
      {"https:///p", "https|||/p||", nullptr},
      {"@h", "||h|||", "h"},
      {"[::1]:6443", "||[::1]:6443|||", nullptr},
      {"https://[::1]:6443/p", "https||[::1]:6443|/p||", nullptr},
  };
  for (const Row& row : rows) {
    const Url url = SplitUrl(row.text);
    EXPECT_EQ(Parts(url), row.parts) << row.text;
    EXPECT_EQ(url.ToString(), row.again == nullptr ? row.text : row.again);
    EXPECT_EQ(url.https(), url.scheme == "https") << row.text;
  }
}

TEST(Url, ParseUrl_RefusesTextsThatAreNone) {
  const std::string control = "it has a control character (a tab or a line's end); remove it";
  const auto scheme = [](const std::string& bad) {
    return "\"" + bad + "\" before \"://\" is no scheme; write https://";
  };
  const std::pair<std::string, std::string> rows[] = {
      {" h", "it begins with a blank; remove it"},
      {"h ", "it ends with a blank; remove it"},
      {" ", "it begins with a blank; remove it"},
      {"h\t", control},
      {"\nh", control},
      {"h\x1f", control},
      {"h\x7f", control},
      {std::string("h\0", 2), control},
      {"9a://h", scheme("9a")},
      {"+a://h", scheme("+a")},
      {"a_b://h", scheme("a_b")},
      {"a/b://h", scheme("a/b")},
      {"a b://h", scheme("a b")},
      {"a:b://h", scheme("a:b")},
      {"a@b://h", scheme("--- REDACTED ---@b")},
      {"`a://h", scheme("`a")},
      {"{a://h", scheme("{a")},
      {"[a://h", scheme("[a")},
      {"a,://h", scheme("a,")},
      {"://h", "it has no scheme; write https://"},
      {"h h", "its host has a blank; remove it"},
      {"https://h h/p", "its host has a blank; remove it"},
  };
  for (const auto& [text, why] : rows) {
    const auto got = ParseUrl(text, "thing");
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_EQ(got.error().reason(), Reason::kConfig);
    EXPECT_EQ(got.error().message(), "thing \"" + RedactedUrl(text) + "\" is no URL: " + why);
  }
  for (const char* text : {"", "h", "https://h", "a://h", "z://h", "Z9+-.://h", "A0://h", "h/a b",
                           "h?a b", "h/p#x y", "https://u v@h", "\xc3\xa9", "h\x80"}) {
    const auto got = ParseUrl(text, "thing");
    ASSERT_TRUE(got.ok()) << text << got.error();
    EXPECT_EQ(Parts(*got), Parts(SplitUrl(text)));
  }
}

TEST(RedactedUrl, HidesAllBetweenSchemeAndLastAt) {
  const std::pair<const char*, const char*> rows[] = {
      {"", ""},
      {"https://h/p", "https://h/p"},
      {"@h", "--- REDACTED ---@h"},
      {"u@h", "--- REDACTED ---@h"},
      {"https://u:pw@h/p", "https://--- REDACTED ---@h/p"},
      {"https://u@pw@h", "https://--- REDACTED ---@h"},
      {"a+Z9://u@h", "a+Z9://--- REDACTED ---@h"},
      {"azAZ09://u@h", "azAZ09://--- REDACTED ---@h"},
      {"://u@h", "://--- REDACTED ---@h"},
      // No schemes: a password may contain "://".
      {"u:a://b@h", "--- REDACTED ---@h"},
      {"a-b://u@h", "--- REDACTED ---@h"},
      {"a/b://u@h", "--- REDACTED ---@h"},
      {"`://u@h", "--- REDACTED ---@h"},
      {"{://u@h", "--- REDACTED ---@h"},
      {"[://u@h", "--- REDACTED ---@h"},
      {"u@h://x", "--- REDACTED ---@h://x"},
      // An "@" within the scheme's reach.
      {"https:/u@h", "--- REDACTED ---@h"},
  };
  for (const auto& [url, want] : rows) EXPECT_EQ(RedactedUrl(url), want) << url;
}

TEST(EditDistance, CountsInsertedRemovedAndChangedCharacters) {
  struct Row {
    const char* a;
    const char* b;
    std::size_t want;
  };
  const Row rows[] = {
      {"", "", 0},
      {"", "abc", 3},
      {"abc", "", 3},
      {"abc", "abc", 0},
      {"abc", "abd", 1},
      {"abc", "xbc", 1},
      {"abc", "ab", 1},
      {"abc", "bc", 1},
      {"abc", "abcd", 1},
      {"abc", "xabc", 1},
      {"ab", "ba", 2},
      {"abc", "xyz", 3},
      {"kitten", "sitting", 3},
      {"sunday", "saturday", 3},
      {"aaaa", "aa", 2},
      {"abcdef", "azced", 3},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(EditDistance(row.a, row.b), row.want) << row.a << ' ' << row.b;
    EXPECT_EQ(EditDistance(row.b, row.a), row.want) << row.b << ' ' << row.a;
  }
}

TEST(IsNear, AllowsTwoChangesAndFewerInShortWords) {
  struct Row {
    const char* meant;
    const char* typed;
    bool want;
  };
  const Row rows[] = {
      {"", "", true},
      {"", "a", false},
      {"a", "a", true},
      {"a", "b", false},
      {"ab", "ax", true},
      {"ab", "xy", false},
      {"abc", "axy", false},
      {"abcd", "abxy", true},
      {"abcd", "axyz", false},
      {"abcdefgh", "abcdefxy", true},
      {"abcdefgh", "abcdexyz", false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(IsNear(row.meant, row.typed), row.want) << row.meant << ' ' << row.typed;
  }
}

}  // namespace
}  // namespace kinformer::internal::base
