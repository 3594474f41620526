// The definition of a struct with every rule, on the real kube-apiserver and the embedded one: both
// take it, and judge 1,000 mutated objects alike. Label `realserver`.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/ensure_crd.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/object/crd.h"
#include "kinformer/testing/api_server.h"

#include "realserver/clients.h"
#include "realserver/real_server.h"
#include "realserver/validation_kind.h"

namespace kinformer::testing {
namespace {

using json::Value;

constexpr int kObjects = 1000;

Value GoodObject() {
  return json::Parse(R"({
    "apiVersion": "compare.example.com/v1", "kind": "Gadget",
    "metadata": {"name": "one", "namespace": "default"},
    "spec": {"title": "abc", "count": 7, "large": 12, "ratio": 0.5, "step": 10, "open": false,
      "shape": "Round", "mode": "Slow", "ports": [{"name": "http"}, {"name": "dns", "port": 53,
      "protocol": "UDP"}], "hosts": ["a.b", "c"], "marks": [1, 1, 2], "labels": {"a": "b"},
      "since": "2026-03-01T10:00:00Z", "day": "2026-03-01", "address": "10.0.0.1",
      "memory": "1Gi", "target": "http", "anything": {"x": [1, null]}, "free": {"y": 1},
      "inner": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "z": 1},
      "nothing": null, "limits": {"least": 1, "most": 2}, "fixed": "f"}})")
      .OrExit();
}

// Values that some rule or other has an opinion of. Not among them is 1.0: kube-apiserver refuses
// it as the count of a scale, and the embedded server takes it as 1.
Value AnyValue(std::mt19937_64& random) {
  static const std::vector<std::string> kTexts = {
      "null",
      "true",
      "false",
      "0",
      "-1",
      "-5",
      "1",
      "3",
      "5",
      "7",
      "10",
      "49",
      "50",
      "99",
      "100",
      "101",
      "65535",
      "65536",
      "2147483648",
      "9223372036854775807",
      "0.5",
      "0.95",
      "1.5",
      "-0.1",
      "1e3",
      R"("")",
      R"("a")",
      R"("abc")",
      R"("ABC")",
      R"("a.b")",
      R"("abcdefghijklmnop")",
      R"("TCP")",
      R"("UDP")",
      R"("Fast")",
      R"("Round")",
      R"("Triangle")",
      R"("bad")",
      R"("10%")",
      R"("1Gi")",
      R"("1.5Xi")",
      R"("2026-03-01")",
      R"("2026-03-01T10:00:00Z")",
      R"("2026-13-01")",
      R"("10.0.0.1")",
      R"("10.0.0.300")",
      "[]",
      "[1]",
      R"(["a"])",
      R"(["a","a"])",
      R"(["A"])",
      R"(["a","b","c","d","e"])",
      "[1,2,3,4,5,6]",
      "{}",
      R"({"a":"b"})",
      R"({"a":1})",
      R"({"a":"b","c":"d","e":"f","g":"h"})",
      R"({"a":"abcdefgh"})",
      R"({"name":"x"})",
      R"([{"name":"x"},{"name":"x"}])",
      R"([{"name":"x"},{"port":1}])",
      R"([{"name":"X1"}])",
      R"([{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}])",
      R"({"least":3,"most":2})",
      R"({"least":1})",
      R"({"least":1,"most":9,"more":2})",
      R"({"kind":"Pod"})",
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"A B"}})"};
  return json::Parse(kTexts[random() % kTexts.size()]).OrExit();
}

// Changes one value somewhere in `at`.
void Mutate(Value& at, std::mt19937_64& random) {
  if (json::Object* const members = at.IfObject(); members != nullptr && !members->empty()) {
    const std::size_t i = random() % members->size();
    const std::uint64_t what = random() % 10;
    Value& member = members->value(i);
    if (what == 0) {
      members->Erase(std::string(members->name(i)));
    } else if (what == 1) {
      members->Set("unknownMember", AnyValue(random));
    } else if (what < 5 && member.size() > 0) {
      Mutate(member, random);
    } else {
      member = AnyValue(random);
    }
  } else if (json::Array* const items = at.IfArray(); items != nullptr && !items->empty()) {
    Value& item = (*items)[random() % items->size()];
    if (item.size() > 0 && random() % 2 == 0) {
      Mutate(item, random);
    } else {
      item = AnyValue(random);
    }
  } else {
    at = AnyValue(random);
  }
}

std::vector<Value> MutatedObjects() {
  std::mt19937_64 random(28);  // NOLINT(bugprone-random-generator-seed): the same ones each time
  std::vector<Value> out;
  for (int i = 0; i < kObjects; ++i) {
    Value object = GoodObject();
    const std::uint64_t changes = 1 + random() % 3;
    for (std::uint64_t n = 0; n < changes; ++n) Mutate(object.Ensure("spec"), random);
    out.push_back(std::move(object));
  }
  return out;
}

// The answer of a server about an object.
struct Verdict {
  Value spec{};         // as it would be stored; null if it is refused
  std::string wrong{};  // the reason, and the fields that are wrong
  std::string message{};
  friend bool operator==(const Verdict& a, const Verdict& b) {
    return a.spec == b.spec && a.wrong == b.wrong;
  }
  friend std::ostream& operator<<(std::ostream& out, const Verdict& v) {
    return out << v.spec << ' ' << v.wrong << ": " << v.message;
  }
};

Verdict Judge(const ResourceClient<Unstructured>& client, const Value& object) {
  const auto made = client.Create(object, {.dryRun = {"All"}});
  if (made) return {.spec = (*made)->DeepCopy()["spec"]};
  std::set<std::string> wrong;
  for (const StatusCause& cause : made.error().details().causes) {
    wrong.insert(cause.field + " " + cause.reason);
  }
  Verdict out{.wrong = std::string(ReasonName(made.error().reason())),
              .message = made.error().message()};
  for (const std::string& one : wrong) out.wrong += "; " + one;
  return out;
}

std::vector<Verdict> Verdicts(const Client& client, const std::vector<Value>& objects) {
  const auto made = EnsureCRD(client, crd::Definition<Gadget>().OrExit());
  EXPECT_TRUE(made.ok()) << made.error();
  if (!made) return {};
  const auto gadgets = client.Dynamic(
      client.Discovery().MappingFor("gadgets.compare.example.com").OrExit(), "default");
  std::vector<Verdict> out;
  for (const Value& object : objects) out.push_back(Judge(gadgets, object));
  return out;
}

TEST(RealValidation, MutatedObjects_OfAKindWithEveryRule_AreJudgedAlike) {
  const std::vector<Value> objects = MutatedObjects();
  std::vector<Verdict> ours;
  {
    Simulation sim;
    ApiServer server(sim);
    const Client client = Client::ForTransport(sim.env(), server.transport(), {.qps = -1});
    ASSERT_TRUE(sim.RunBlocking([&] { ours = Verdicts(client, objects); }, std::chrono::hours(1)));
  }
  RealServer real;
  real.Start();
  const std::vector<Verdict> theirs = Verdicts(NewClient(real, /*json=*/true), objects);
  ASSERT_EQ(ours.size(), objects.size());
  ASSERT_EQ(theirs.size(), objects.size());
  int taken = 0;
  int different = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (theirs[i].wrong.empty()) ++taken;
    if (ours[i] == theirs[i]) continue;
    if (++different <= 10) {
      ADD_FAILURE() << objects[i]["spec"] << "\n  ours:   " << ours[i]
                    << "\n  theirs: " << theirs[i];
    }
  }
  std::cout << objects.size() << " objects, " << taken << " taken, " << different
            << " judged differently\n";
  EXPECT_EQ(different, 0);
  EXPECT_GT(taken, kObjects / 20);
  EXPECT_LT(taken, kObjects * 3 / 4);
}

}  // namespace
}  // namespace kinformer::testing
