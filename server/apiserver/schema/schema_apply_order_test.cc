#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/schema_apply.h"
#include "apiserver/schema/schema_fields.h"

namespace kinformer::apiserver {
namespace {

// Parses JSON that has ' in place of ".
json::Value Quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return json::Parse(text).OrExit();
}

constexpr const char* kSchema =
    "{'type':'object','properties':{'spec':{'type':'object','properties':{"
    "'set':{'type':'array','x-kubernetes-list-type':'set','items':{}},"
    "'map':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['k'],"
    "'items':{'type':'object','properties':{'k':{'type':'string','default':'d'},"
    "'inner':{'type':'array','x-kubernetes-list-type':'set','items':{}}}}},"
    "'bare':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['k']},"
    "'list':{'type':'array','items':{'type':'object'}},"
    "'pods':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['k'],"
    "'items':{'type':'object','x-kubernetes-embedded-resource':true}},"
    "'pod':{'type':'object','x-kubernetes-embedded-resource':true},"
    "'plain':{'type':'object','properties':{'set':{'type':'array',"
    "'x-kubernetes-list-type':'set'}}},"
    "'whole':{'type':'object','x-kubernetes-map-type':'atomic'}}}}}";

// Returns the merged spec, or the problem.
std::string Applied(const std::string& old, const std::string& declared) {
  const StructuralSchema schema(Quoted(kSchema));
  json::Value object = Quoted("{'spec':" + old + "}");
  const std::string problem =
      ApplyDeclared(schema.root(), Quoted("{'spec':" + declared + "}"), object);
  return problem.empty() ? object["spec"].Dump() : problem;
}

std::string Text(const std::string& quoted) { return Quoted(quoted).Dump(); }

// Returns the letters as a list: "['a','b']".
std::string ListOf(std::string_view letters) {
  std::string out;
  for (const char c : letters) out.append(out.empty() ? "'" : ",'").append(1, c).append("'");
  return "[" + out + "]";
}

// The order is that of structured-merge-diff.
TEST(SchemaApplyOrder, AppliedElements_KeepTheirOrderAmongThoseOfOthers) {
  struct Row {
    std::string_view old;
    std::string_view applied;
    std::string_view merged;
  };
  for (const Row& row : {
           Row{"", "", ""},
           Row{"", "ab", "ab"},
           Row{"ab", "", "ab"},
           Row{"ab", "ab", "ab"},
           Row{"ab", "ba", "ba"},
           Row{"abc", "ca", "bca"},
           Row{"abc", "cb", "acb"},
           Row{"abc", "bca", "bca"},
           Row{"abc", "cab", "cab"},
           Row{"abc", "cba", "cba"},
           Row{"axb", "ba", "xba"},
           Row{"axbyc", "cba", "xycba"},
           Row{"axbyc", "ca", "xbyca"},
           Row{"xab", "ba", "xba"},
           Row{"abx", "ba", "bxa"},
           Row{"abx", "b", "abx"},
           Row{"xaby", "b", "xaby"},
           Row{"ab", "cd", "abcd"},
           Row{"ab", "cad", "cabd"},
           Row{"ab", "acbd", "acbd"},
           Row{"ab", "bca", "bca"},
           Row{"abcd", "db", "acdb"},
           Row{"abcd", "dxb", "acdxb"},
           Row{"abxcd", "dcyba", "xdcyba"},
           Row{"abc", "ayb", "aybc"},
           Row{"abx", "acb", "acbx"},
           Row{"abx", "acby", "acbxy"},
           Row{"abx", "cyba", "cybxa"},
           Row{"acx", "byca", "bycxa"},
           Row{"xyz", "azb", "xyazb"},
           Row{"xyz", "zax", "yzax"},
           Row{"abcde", "ebd", "acebd"},
           Row{"abcde", "xeyb", "acdxeyb"},
       }) {
    EXPECT_EQ(Applied("{'set':" + ListOf(row.old) + "}", "{'set':" + ListOf(row.applied) + "}"),
              Text("{'set':" + ListOf(row.merged) + "}"))
        << row.old << " " << row.applied;
  }
}

TEST(SchemaApplyOrder, Values_AreMergedOrReplaced) {
  struct Row {
    const char* old;
    const char* applied;
    const char* merged;
  };
  for (const Row& row : {
           // Equal values of a set, and equal keys.
           Row{"{'set':[1,{'a':1,'b':2}]}", "{'set':[1.0,{'b':2,'a':1}]}",
               "{'set':[1.0,{'a':1,'b':2}]}"},
           Row{"{'set':['1']}", "{'set':[1]}", "{'set':['1',1]}"},
           Row{"{'map':[{'k':'a','x':1}]}", "{'map':[{'k':'a','v':2}]}",
               "{'map':[{'k':'a','x':1,'v':2}]}"},
           // The default of a key, also in place of null.
           Row{"{'map':[{'x':1}]}", "{'map':[{'k':'d','v':2}]}", "{'map':[{'x':1,'k':'d','v':2}]}"},
           Row{"{'map':[{'k':'d','x':1}]}", "{'map':[{'v':2}]}", "{'map':[{'k':'d','x':1,'v':2}]}"},
           Row{"{'map':[{'k':null,'x':1}]}", "{'map':[{'k':'d'}]}",
               "{'map':[{'k':null,'x':1},{'k':'d'}]}"},
           // Stored elements that cannot be told apart match none.
           Row{"{'map':[{'k':'a','x':1},{'k':'a','x':2}]}", "{'map':[{'k':'a','v':3}]}",
               "{'map':[{'k':'a','v':3}]}"},
           Row{"{'bare':[{'x':1}]}", "{'bare':[{'k':'a'}]}", "{'bare':[{'x':1},{'k':'a'}]}"},
           // Nested lists.
           Row{"{'map':[{'k':'a','inner':[1]}]}", "{'map':[{'k':'a','inner':[2]}]}",
               "{'map':[{'k':'a','inner':[1,2]}]}"},
           // Another type than before.
           Row{"{'set':'x'}", "{'set':[1]}", "{'set':[1]}"},
           Row{"{'set':[1]}", "{'set':'x'}", "{'set':'x'}"},
           Row{"{'plain':7}", "{'plain':{'set':[1]}}", "{'plain':{'set':[1]}}"},
           Row{"{'plain':{'a':1}}", "{'plain':7}", "{'plain':7}"},
           Row{"{'whole':[1]}", "{'whole':{'a':1}}", "{'whole':{'a':1}}"},
           // Null changes no values that merge, unless they are empty.
           Row{"{'set':[1],'map':[{'k':'a'}],'plain':{'a':1}}",
               "{'set':null,'map':null,'plain':null}",
               "{'set':[1],'map':[{'k':'a'}],'plain':{'a':1}}"},
           Row{"{'set':[],'plain':{}}", "{'set':null,'plain':null}", "{'set':null,'plain':null}"},
           Row{"{'list':[1],'whole':{'a':1},'x':1}", "{'list':null,'whole':null,'x':null}",
               "{'list':null,'whole':null,'x':null}"},
           // Lists and maps that are replaced, and unknown members.
           Row{"{'list':[{'a':1}],'whole':{'a':1}}", "{'list':[{'b':1}],'whole':{'b':1}}",
               "{'list':[{'b':1}],'whole':{'b':1}}"},
           Row{"{'u':{'a':1,'l':[1]}}", "{'u':{'b':1,'l':[2]}}", "{'u':{'a':1,'l':[2],'b':1}}"},
           // Metadata of embedded objects, and a member of that name elsewhere.
           Row{"{'pod':{'metadata':{'finalizers':['a']}}}",
               "{'pod':{'metadata':{'finalizers':['b']}}}",
               "{'pod':{'metadata':{'finalizers':['a','b']}}}"},
           Row{"{'pods':[{'k':'a','metadata':{'finalizers':['a']}}]}",
               "{'pods':[{'k':'a','metadata':{'finalizers':['b']}}]}",
               "{'pods':[{'k':'a','metadata':{'finalizers':['a','b']}}]}"},
           Row{"{'plain':{'metadata':{'finalizers':['a']}}}",
               "{'plain':{'metadata':{'finalizers':['b']}}}",
               "{'plain':{'metadata':{'finalizers':['b']}}}"},
           Row{"{'map':[{'k':'a','metadata':{'finalizers':['a']}}]}",
               "{'map':[{'k':'a','metadata':{'finalizers':['b']}}]}",
               "{'map':[{'k':'a','metadata':{'finalizers':['b']}}]}"},
           Row{"{'pod':{'spec':{'finalizers':['a']}}}", "{'pod':{'spec':{'finalizers':['b']}}}",
               "{'pod':{'spec':{'finalizers':['b']}}}"},
       }) {
    EXPECT_EQ(Applied(row.old, row.applied), Text(row.merged)) << row.old << " " << row.applied;
  }
}

TEST(SchemaApplyOrder, Problems_NameTheListAndTheKey) {
  struct Row {
    const char* applied;
    const char* problem;
  };
  constexpr const char* kNoKey =
      ".spec.bare: element 1: associative list with keys has an element that omits all key "
      "fields [\"k\"] (and doesn't have default values for any key fields)";
  for (const Row& row : {
           Row{"{'bare':[{'k':'a'},{'x':1}]}", kNoKey},
           Row{"{'bare':[{'k':null},{'k':null}]}",
               ".spec.bare: duplicate entries for key [k=null]"},
           Row{"{'set':[1,2,1.0]}", ".spec.set: duplicate entries for key [=1]"},
           Row{"{'set':['a','a']}", ".spec.set: duplicate entries for key [=\"a\"]"},
           Row{"{'map':[{'k':'d'},{}]}", ".spec.map: duplicate entries for key [k=\"d\"]"},
           Row{"{'map':[{'k':'a','inner':[1,1]}]}",
               ".spec.map[k=\"a\"].inner: duplicate entries for key [=1]"},
           Row{"{'set':[1],'plain':{'set':[2,2]}}",
               ".spec.plain.set: duplicate entries for key [=2]"},
           Row{"{'set':[1,1],'plain':{'set':[2,2]}}", ".spec.set: duplicate entries for key [=1]"},
           Row{"{'pod':{'metadata':{'finalizers':['a','a']}}}",
               ".spec.pod.metadata.finalizers: duplicate entries for key [=\"a\"]"},
       }) {
    EXPECT_EQ(Applied("{}", row.applied), row.problem);
  }
}

TEST(SchemaApplyOrder, Identities_HaveALimitOfMemory) {
  const StructuralSchema schema(Quoted(kSchema));
  const auto problem = [&](std::size_t bytes) {
    json::Value object = json::Value::MakeObject();
    json::Value declared = json::Value::MakeObject();
    // The quotes count, too.
    declared.Ensure("spec", "set").Append(std::string(bytes - 2, 'x'));
    return ApplyDeclared(schema.root(), declared, object);
  };
  EXPECT_EQ(problem(kMaxDefaultBytes), "");
  EXPECT_EQ(problem(kMaxDefaultBytes + 1),
            ".spec.set: the keys of its elements take more than 16777216 bytes");
}

}  // namespace
}  // namespace kinformer::apiserver
