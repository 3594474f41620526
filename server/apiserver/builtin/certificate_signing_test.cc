#include "apiserver/builtin/certificate_signing.h"

#include <gtest/gtest.h>
#include <string>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

// Base64 of "-----BEGIN CERTIFICATE-----"
constexpr const char* kPem = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t";

json::Value Request(const std::string& conditions, const std::string& certificate = "") {
  return Quoted("{'status':{'conditions':[" + conditions + "]" +
                (certificate.empty() ? "" : ",'certificate':'" + certificate + "'") + "}}");
}

std::string Check(const char* subresource, const json::Value& old, const json::Value& request) {
  return Lines(ValidateSigningStatus(subresource, old, request));
}

TEST(CertificateSigning, Requester_ReplacesWhatWasSent) {
  json::Value request = Quoted(
      "{'spec':{'username':'x','uid':'y','groups':['z'],'extra':{'a':['b']},'request':'r'}}");
  SetRequester({.name = "jane", .groups = {"g"}}, request);
  EXPECT_EQ(request.Dump(), R"({"spec":{"request":"r","username":"jane","groups":["g"]}})");
  SetRequester({.name = "joe", .uid = "7", .extra = {{"k", {"v"}}}}, request);
  EXPECT_EQ(request.Dump(),
            R"({"spec":{"request":"r","username":"joe","uid":"7","extra":{"k":["v"]}}})");
}

TEST(CertificateSigning, Conditions_NeedTypeAndStatusOnce) {
  struct Row {
    const char* conditions;
    const char* causes;
  };
  for (const Row& row : {
           Row{"", ""},
           Row{"{'type':'Other','status':'False'}", ""},
           Row{"{'type':'Failed','status':'True'}", ""},
           Row{"{'status':'True'}", "status.conditions[0].type: Required value\n"},
           Row{"{'status':'True'},{'status':'True'}",
               "status.conditions[0].type: Required value\n"
               "status.conditions[1].type: Required value\n"},
           Row{"{'type':'Other'}", "status.conditions[0].status: Required value\n"},
           Row{"{'type':'Failed'}", "status.conditions[0].status: Required value\n"},
           Row{"{'type':'Other','status':'True'},{'type':'Failed','status':'False'}",
               "status.conditions[1].status: Unsupported value: \"False\": supported values: "
               "\"True\"\n"},
           Row{"{'type':'Approved','status':'Unknown'}",
               "status.conditions[0].status: Unsupported value: \"Unknown\": supported values: "
               "\"True\"\n"},
           Row{"{'type':'Denied','status':'False'}",
               "status.conditions[0].status: Unsupported value: \"False\": supported values: "
               "\"True\"\n"},
           Row{"{'type':'A','status':'True'},{'type':'A','status':'False'}",
               "status.conditions[1].type: Duplicate value: \"A\"\n"},
           Row{"{'type':'Approved','status':'True'}", ""},
           Row{"{'type':'Denied','status':'True'}", ""},
           Row{"{'type':'Approved','status':'True'},{'type':'Denied','status':'True'}",
               R"(status.conditions: Invalid value: "{conditions[{\"type\": \"Approved\"}], )"
               R"(conditions[{\"type\": \"Denied\"}]}": must specify at most one of: )"
               R"(`conditions[{"type": "Approved"}]`, `conditions[{"type": "Denied"}]`)"
               "\n"},
       }) {
    EXPECT_EQ(Check("approval", {}, Request(row.conditions)), row.causes) << row.conditions;
  }
}

TEST(CertificateSigning, Decisions_AreMadeByApprovalAndStay) {
  for (const std::string type : {"Approved", "Denied", "Failed"}) {
    SCOPED_TRACE(type);
    const json::Value with = Request("{'type':'" + type + "','status':'True'}");
    const json::Value without = Request("");
    EXPECT_EQ(Check("approval", without, with), "");
    EXPECT_EQ(Check("approval", with, with), "");
    EXPECT_EQ(Check("status", with, with), "");
    EXPECT_EQ(Check("status", without, with),
              type == "Failed"
                  ? ""
                  : "status.conditions: Forbidden: updates may not add a condition of type \"" +
                        type + "\"\n");
    for (const char* subresource : {"status", "approval"}) {
      EXPECT_EQ(Check(subresource, with, without),
                "status.conditions: Forbidden: updates may not remove a condition of type \"" +
                    type + "\"\n");
    }
  }
}

TEST(CertificateSigning, Certificate_IsPemAndStays) {
  const std::string content =
      "status.certificate: Invalid value: \"<certificate data>\": must contain at least one "
      "CERTIFICATE PEM block\n";
  const std::string kept =
      "status.certificate: Forbidden: updates may not modify existing certificate content\n";
  EXPECT_EQ(Check("status", Request(""), Request("", kPem)), "");
  EXPECT_EQ(Check("status", Request("", kPem), Request("", kPem)), "");
  EXPECT_EQ(Check("status", Request(""), Request("", "AAAA")), content);
  EXPECT_EQ(Check("status", Request(""), Request("", "?")), content);
  EXPECT_EQ(Check("status", Request("", "AAAA"), Request("", "AAAA")), "");
  EXPECT_EQ(Check("status", Request("", "AAAA"), Request("", kPem)), kept);
  EXPECT_EQ(Check("status", Request("", kPem), Request("")), kept);
}

struct Merge {
  const char* subresource;
  const char* old;
  const char* sent;
  const char* merged;
};

void Expect(const Merge& merge) {
  json::Value request = Quoted(merge.sent);
  MergeSigningStatus(merge.subresource, Quoted(merge.old), "now", request);
  EXPECT_EQ(request.Dump({.sort_keys = true}), Quoted(merge.merged).Dump({.sort_keys = true}))
      << merge.subresource << " " << merge.old << " " << merge.sent;
}

TEST(CertificateSigning, Merge_KeepsWhatTheOtherSubresourceWrites) {
  // The approval does not write the certificate.
  Expect({"approval", "{'status':{'certificate':'c'}}", "{'status':{'certificate':'d'}}",
          "{'status':{'certificate':'c'}}"});
  Expect({"approval", "{'status':{'certificate':'c'}}", "{}", "{'status':{'certificate':'c'}}"});
  Expect({"approval", "{}", "{'status':{'certificate':'d'}}", "{'status':{}}"});
  Expect({"approval", "{}", "{}", "{}"});
  // The status does not write decisions that were made before.
  Expect({"status", "{'status':{'certificate':'c'}}", "{'status':{'certificate':'d'}}",
          "{'status':{'certificate':'d'}}"});
  const auto full = [](const char* type, const char* message) {
    return std::string("{'type':'") + type + "','message':'" + message +
           "','lastUpdateTime':'t','lastTransitionTime':'t'}";
  };
  const auto with = [](const std::string& conditions) {
    return "{'status':{'conditions':[" + conditions + "]}}";
  };
  for (const char* type : {"Approved", "Denied"}) {
    const std::string old = with(full(type, "old"));
    const std::string sent = with(full("Other", "new") + "," + full(type, "new"));
    Expect({"status", old.c_str(), sent.c_str(),
            with(full("Other", "new") + "," + full(type, "old")).c_str()});
    Expect({"approval", old.c_str(), sent.c_str(), sent.c_str()});
    // With another number of them, they stay as sent, and validation refuses them.
    const std::string twice = with(full(type, "a") + "," + full(type, "b"));
    Expect({"status", old.c_str(), twice.c_str(), twice.c_str()});
    Expect({"status", with("").c_str(), old.c_str(), old.c_str()});
    Expect({"status", twice.c_str(), with(full(type, "c") + "," + full(type, "d")).c_str(),
            twice.c_str()});
  }
  Expect({"status", with(full("Failed", "old")).c_str(), with(full("Failed", "new")).c_str(),
          with(full("Failed", "new")).c_str()});
}

TEST(CertificateSigning, Merge_SetsTheTimesOfConditions) {
  for (const char* subresource : {"status", "approval"}) {
    Expect({subresource, "{}", "{'status':{'conditions':[{'type':'A','status':'True'}]}}",
            "{'status':{'conditions':[{'type':'A','status':'True','lastUpdateTime':'now',"
            "'lastTransitionTime':'now'}]}}"});
    Expect({subresource, "{}",
            "{'status':{'conditions':[{'type':'A','lastUpdateTime':'u'},{'type':'B',"
            "'lastTransitionTime':'t'}]}}",
            "{'status':{'conditions':[{'type':'A','lastUpdateTime':'u','lastTransitionTime':'now'},"
            "{'type':'B','lastUpdateTime':'now','lastTransitionTime':'t'}]}}"});
    // The transition keeps its time while the condition keeps its status.
    constexpr const char* kOld =
        "{'status':{'conditions':[{'type':'A','status':'True','lastTransitionTime':'old'},"
        "{'type':'B','status':'True'}]}}";
    Expect({subresource, kOld,
            "{'status':{'conditions':[{'type':'A','status':'True','lastUpdateTime':'u'}]}}",
            "{'status':{'conditions':[{'type':'A','status':'True','lastUpdateTime':'u',"
            "'lastTransitionTime':'old'}]}}"});
    Expect({subresource, kOld,
            "{'status':{'conditions':[{'type':'A','status':'False','lastUpdateTime':'u'},"
            "{'type':'B','status':'True','lastUpdateTime':'u'}]}}",
            "{'status':{'conditions':[{'type':'A','status':'False','lastUpdateTime':'u',"
            "'lastTransitionTime':'now'},{'type':'B','status':'True','lastUpdateTime':'u',"
            "'lastTransitionTime':'now'}]}}"});
    Expect({subresource, kOld, "{'status':{'conditions':[]}}", "{'status':{'conditions':[]}}"});
  }
}

}  // namespace
}  // namespace kinformer::apiserver
