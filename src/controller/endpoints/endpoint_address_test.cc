// Addresses to listen on, as text.

#include "controller/endpoints/endpoint_address.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::internal::endpoints {
namespace {

struct Row {
  const char* text;
  const char* parsed;  // "ip port"; empty: it is no address
};

TEST(EndpointAddresses, EachPart_IsReadOrRefused) {
  for (const Row& row : std::vector<Row>{{"0", "closed"},
                                         {"00", ""},
                                         {"1", ""},
                                         {"", ""},
                                         {":", ""},
                                         {":0", ":: 0"},
                                         {":1", ":: 1"},
                                         {":9", ":: 9"},
                                         {":65535", ":: 65535"},
                                         {":65536", ""},
                                         {":-1", ""},
                                         {":80 ", ""},
                                         {":http", ""},
                                         {"a:80", "a 80"},
                                         {"127.0.0.1:8080", "127.0.0.1 8080"},
                                         {"localhost:80", "127.0.0.1 80"},
                                         {"localhosts:80", "localhosts 80"},
                                         {"LOCALHOST:80", "LOCALHOST 80"},
                                         {"[::1]:80", "::1 80"},
                                         {"[::]:80", ":: 80"},
                                         {"[]:80", ":: 80"},
                                         {"[a]:80", "a 80"},
                                         {"[localhost]:80", "127.0.0.1 80"},
                                         {"[::1:80", ""},
                                         {"::1]:80", ""},
                                         {"::1:80", ""},
                                         {"[::1]", ""},
                                         {"a:b:80", ""}}) {
    const auto address = ParseEndpointAddress(row.text);
    if (row.parsed == std::string()) {
      ASSERT_FALSE(address.ok()) << row.text;
      EXPECT_EQ(address.error().reason(), Reason::kConfig);
      EXPECT_EQ(address.error().message(),
                "\"" + std::string(row.text) +
                    "\" is no address to listen on: write \":8080\", \"127.0.0.1:8080\" or "
                    "\"[::1]:8080\", or \"0\" for none");
      continue;
    }
    ASSERT_TRUE(address.ok()) << address.error();
    EXPECT_EQ(*address ? (*address)->ip + " " + std::to_string((*address)->port) : "closed",
              row.parsed)
        << row.text;
  }
}

}  // namespace
}  // namespace kinformer::internal::endpoints
