#include "cli/output.h"

#include <gtest/gtest.h>

#include "kinformer/json/json.h"

namespace kinformer::cli {
namespace {

TEST(Output, DocumentsAsKubectlPrintsThem) {
  const json::Value v = *json::Parse(
      R"({"kind":"Gadget","apiVersion":"example.com/v1","spec":{"b":"<1>","a10":1,"a2":[]},)"
      R"("metadata":{"uid":"3d0e4a5c-7c7b-4b39-9b42-5d5d6f4c3e11","name":"g"}})");
  EXPECT_EQ(KubectlJson(v),
            R"({
    "apiVersion": "example.com/v1",
    "kind": "Gadget",
    "metadata": {
        "name": "g",
        "uid": "3d0e4a5c-7c7b-4b39-9b42-5d5d6f4c3e11"
    },
    "spec": {
        "a10": 1,
        "a2": [],
        "b": "\u003c1\u003e"
    }
})");
  EXPECT_EQ(KubectlYaml(v),
            "apiVersion: example.com/v1\nkind: Gadget\nmetadata:\n  name: g\n"
            "  uid: 3d0e4a5c-7c7b-4b39-9b42-5d5d6f4c3e11\n"
            "spec:\n  a2: []\n  a10: 1\n  b: <1>\n");
  EXPECT_EQ(EventJson("ADDED", *json::Parse(R"({"b":{"d":1,"c":2},"a":"\u007f"})")),
            R"({"type":"ADDED","object":{"a":"\u007f","b":{"c":2,"d":1}}})");
}

TEST(Output, FloatsInYaml) {
  const json::Value v =
      *json::Parse(R"([1.5,1.50,0.0001,0.00001,1e-7,999999.5,1234567.5,100000000000000000000,)"
                   R"(18446744073709551615,-1e300,{"a":1e2}])");
  EXPECT_EQ(KubectlYaml(v),
            "- 1.5\n- 1.5\n- 0.0001\n- 1e-05\n- 1e-07\n- 999999.5\n- 1.2345675e+06\n- 1e+20\n"
            "- 18446744073709551615\n- -1e+300\n- a: 100\n");
}

TEST(Output, ColorsStandAroundTheTextAndPlainTextHasNone) {
  EXPECT_EQ(Colored("a", Color::kRed), "\x1b[31ma\x1b[0m");
  EXPECT_EQ(Colored("a", Color::kPlain), "a");
}

}  // namespace
}  // namespace kinformer::cli
