#include "cel/access.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "cel/testing.h"

namespace kinformer::internal::cel {
namespace {

// Allows only `get`, and says what was asked.
class Echo final : public AccessChecker {
 public:
  [[nodiscard]] AccessAnswer Check(const AccessQuestion& question,
                                   const std::string& verb) const override {
    std::string shown = question.path;
    for (const std::string* part :
         {&question.account_namespace, &question.account, &question.group, &question.resource,
          &question.subresource, &question.namespace_, &question.name}) {
      shown += "/" + *part;
    }
    return {.allowed = verb == "get", .reason = shown};
  }
};

class AccessTest : public ::testing::Test {
 protected:
  std::string Result(std::string_view text) {
    const Value about = Value::OfAccess(ValueKind::kResourceCheck,
                                        {.checker = &echo_, .question = {.resource = "pods"}});
    return Evaluated(text,
                     {.variables = {{"authorizer", Plain(TypeKind::kAuthorizer)},
                                    {"authorizer.requestResource", Plain(TypeKind::kResourceCheck)},
                                    {"items", ListOf(Plain(TypeKind::kInt))}}},
                     {Value::OfAccess(ValueKind::kAuthorizer, {.checker = &echo_}), about,
                      Value::List({Value::Int(1)})});
  }

  Echo echo_;
};

TEST_F(AccessTest, Check_AsksForWhatWasPutTogether) {
  for (const auto& [text, shown] : std::vector<std::pair<const char*, const char*>>{
           {"authorizer.group('apps').resource('deployments').check('get').allowed()", "true"},
           {"authorizer.group('apps').resource('deployments').check('list').allowed()", "false"},
           {"authorizer.group('g').resource('r').subresource('s').namespace('n').name('x')"
            ".fieldSelector('a=b').labelSelector('c').check('get').reason()",
            R"("///g/r/s/n/x")"},
           {"authorizer.path('/healthz').check('get').reason()", R"("/healthz///////")"},
           {"authorizer.serviceAccount('n', 'a').group('').resource('r').check('x').reason()",
            R"("/n/a//r///")"},
           {"authorizer.requestResource.check('get').reason()", R"("////pods///")"},
           {"authorizer.requestResource.check('get').errored()", "false"},
           {"authorizer.requestResource.check('get').error()", R"("")"},
           {"has(authorizer.requestResource)", "true"},
           {"items.exists(authorizer, authorizer.requestResource == 1)",
            "compile: type 'int' does not support field selection"},
           {"authorizer.nothing",
            "compile: type 'kubernetes.authorization.Authorizer' does not support field selection"},
           {"authorizer.path(' ')", "error: path must not be empty"},
           {"authorizer.group('').resource('')", "error: resource must not be empty"},
           {"authorizer.serviceAccount('n', 'A')", "error: Invalid service account name"},
           {"authorizer.serviceAccount('n.m', 'a')", "error: Invalid service account namespace"},
           {"authorizer.group('').check('get')",
            "compile: found no matching overload for 'check' applied to "
            "'kubernetes.authorization.GroupCheck.(string)'"}}) {
    EXPECT_EQ(Result(text), shown) << text;
  }
}

TEST_F(AccessTest, Checks_AreAsDearAsInARealServer) {
  const std::string check = "authorizer.requestResource.check('list').allowed()";
  EXPECT_EQ(Result(check + " || " + check), "false");
  EXPECT_EQ(Result(check + " || " + check + " || " + check),
            "error: operation cancelled: actual cost limit exceeded");
}

// ---- Values that are computed when they are needed.

class Counted final : public DeferredValue {
 public:
  Value Get() override {
    ++count;
    return Value::Int(7);
  }
  int count = 0;
};

TEST(Deferred, IsComputedOnceAndOnlyIfNeeded) {
  Counted source;
  const Environment environment{.variables = {{"variables", ObjectOf("kubernetes.variables", {})},
                                              {"variables.x", Plain(TypeKind::kInt)}}};
  const std::vector<Value> values{Value(), Value::Deferred(source)};
  EXPECT_EQ(Evaluated("true || variables.x == 7", environment, values), "true");
  EXPECT_EQ(source.count, 0);
  EXPECT_EQ(Evaluated("variables.x == 7 && variables.x < 8", environment, values), "true");
  EXPECT_EQ(source.count, 1);
  EXPECT_EQ(Evaluated("variables.y", environment, values), "compile: undefined field 'y'");
}

}  // namespace
}  // namespace kinformer::internal::cel
