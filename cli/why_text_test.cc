#include "cli/why_text.h"

#include <gtest/gtest.h>

namespace kinformer::cli {
namespace {

TEST(WhyText, ReconcilesHaveTheirCausesAndWrites) {
  const json::Value answer = json::Parse(R"({"controllers":[{"controller":"web","requests":[
    {"request":"default/web","reconciles":[
      {"id":"i1","begun":"T1","seconds":0.25,"result":"requeue_after","afterSeconds":60,
       "causes":[{"at":"T0","text":"updated Pod default/web 1 -> 2"}],"causesLeftOut":3,
       "writes":[{"verb":"update","kind":"Pod","object":"default/web","version":"3","seen":"T2",
                  "lagSeconds":0.5},
                 {"verb":"create","kind":"Pod","object":"default/b","version":"4"},
                 {"verb":"delete","kind":"Pod","object":"default/c"}],"writesLeftOut":1},
      {"begun":"T3","seconds":1,"result":"error","error":"no\nway","causes":[],"writes":[]}]}]}]})")
                                 .OrExit();
  EXPECT_EQ(WhyText(answer), R"(controller web
  request default/web
    T1  0.25 s  requeue_after 60 s  i1
      because updated Pod default/web 1 -> 2  at T0
      and 3 more
      wrote update Pod default/web -> 3, seen after 0.5 s
      wrote create Pod default/b -> 4, not seen by a controller that keeps it
      wrote delete Pod default/c
      and 1 more
    T3  1 s  error: no\nway
)");
}

TEST(WhyText, FightsSayWithWhomAndWhatIsHeld) {
  const json::Value answer = json::Parse(R"({"controllers":[{"controller":"paint","fights":[
    {"request":"default/a","kind":"ConfigMap","object":"default/a","field":"data.color",
     "type":"other writer","others":["hpa","argo\nx"],"rounds":7,"agoSeconds":3,"underWay":true,
     "heldSeconds":7},
    {"request":"default/a","kind":"Pod","object":"default/b","field":"spec.x","type":"itself",
     "rounds":5,"agoSeconds":130,"underWay":false,"heldSeconds":0},
    {"request":"default/a","kind":"Pod","object":"default/c","field":"spec.y","type":"server",
     "rounds":6,"agoSeconds":20,"underWay":true,"heldSeconds":0}]}]})")
                                 .OrExit();
  EXPECT_EQ(WhyText(answer), R"(controller paint
  fight over data.color of ConfigMap default/a with "hpa", "argo\nx": 7 rounds, the last 3 s ago)"
                             R"(; default/a is held for 7 s
  fight over spec.x of Pod default/b with itself: 5 rounds, the last 130 s ago; it has ended
  fight over spec.y of Pod default/c with the server: 6 rounds, the last 20 s ago
)");
}

TEST(WhyText, RequestThatWaits_SaysForWhat) {
  const json::Value answer = json::Parse(R"({"controllers":[{"controller":"web","requests":[
    {"request":"default/web","reconciles":[],"waiting":{"state":"delayed","why":"rate limit",
     "since":"T1","seconds":2.5,"dueInSeconds":1.5,"attempts":2,"error":"no\nway",
     "causes":[{"at":"T1","text":"retry 2"}]}},
    {"request":"default/b","reconciles":[],
     "waiting":{"state":"parked","why":"until a cache shows what it has written","causes":[]}}
    ]}]})")
                                 .OrExit();
  EXPECT_EQ(WhyText(answer), R"(controller web
  request default/web
    waits since T1  2.5 s  delayed, due in 1.5 s: rate limit
      last error: no\nway
      because retry 2  at T1
  request default/b
    waits  parked: until a cache shows what it has written
)");
}

TEST(WhyText, WithoutControllers_IsEmpty) {
  EXPECT_EQ(WhyText(json::Parse(R"({"controllers":[]})").OrExit()), "");
  EXPECT_EQ(WhyText(json::Value()), "");
}

}  // namespace
}  // namespace kinformer::cli
