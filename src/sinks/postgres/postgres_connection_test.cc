#include "sinks/postgres/postgres_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/sinks/postgres_sink.h"

namespace kinformer::internal::sinks {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PostgresConnectionTest, WrongUrl_IsRefusedWithoutItsPassword) {
  for (const char* const url :
       {"postgresql://me:swordfish@[::1/db", "postgresql://me:swordfish@host:1/db?nonsense=1",
        "postgresql://me:swordfish@host:x/db"}) {
    const auto sink = OpenPostgresSink(url);
    ASSERT_FALSE(sink) << url;
    EXPECT_THAT(sink.error().message(), Not(HasSubstr("swordfish")));
  }
}

TEST(PostgresConnectionTest, NobodyListens_ErrorHasNoPassword) {
  const auto sink = OpenPostgresSink("postgresql://me:swordfish@127.0.0.1:1/db");
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().reason(), Reason::kConnectionRefused);
  EXPECT_THAT(sink.error().message(), HasSubstr("127.0.0.1"));
  EXPECT_THAT(sink.error().message(), Not(HasSubstr("swordfish")));
}

TEST(PostgresConnectionTest, SecretsAreReplacedInMessages) {
  const std::string url = "postgresql://me:pa%40ss@host/db?x=y";
  EXPECT_EQ(WithoutSecrets("bad " + url + " and pa%40ss", url), "bad the URL and ***");
  const std::string by_parameter = "postgresql:///db?user=me&password=fish1&x=y";
  EXPECT_EQ(WithoutSecrets("is fish1 it", by_parameter), "is *** it");
}

}  // namespace
}  // namespace kinformer::internal::sinks
