#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/registry/built_in_conversion.h"
#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Quoted;

constexpr std::string_view kAnnotation = "autoscaling.alpha.kubernetes.io/";

json::Value FromStored(const std::string& stored) {
  return kAutoscalerConversion.from_stored(Quoted(stored));
}
json::Value ToStored(const json::Value& object) { return kAutoscalerConversion.to_stored(object); }

std::string Text(const std::string& quoted) { return Quoted(quoted).Dump(); }

// Returns one of the annotations in which the old form keeps what it has no fields for.
std::string Annotation(const json::Value& object, std::string_view name) {
  return object["metadata"]["annotations"][std::string(kAnnotation) + std::string(name)]
      .StringOrEmpty();
}

TEST(AutoscalerConversion, Metric_IsInTheOldFormWithItsTarget) {
  struct Row {
    const char* metric;
    const char* old;
    const char* back;  // null: the same as `metric`
  };
  const std::vector<Row> rows = {
      {"{'type':'Resource','resource':{'name':'memory','target':{'type':'Utilization',"
       "'averageUtilization':70}}}",
       "{'type':'Resource','resource':{'name':'memory','targetAverageUtilization':70}}", nullptr},
      {"{'type':'Resource','resource':{'name':'cpu','target':{'type':'AverageValue',"
       "'averageValue':'2'}}}",
       "{'type':'Resource','resource':{'name':'cpu','targetAverageValue':'2'}}", nullptr},
      {"{'type':'ContainerResource','containerResource':{'name':'cpu','container':'c','target':"
       "{'type':'Utilization','averageUtilization':7}}}",
       "{'type':'ContainerResource','containerResource':{'name':'cpu',"
       "'targetAverageUtilization':7,'container':'c'}}",
       nullptr},
      {"{'type':'Pods','pods':{'metric':{'name':'p','selector':{'matchLabels':{'a':'b'}}},"
       "'target':{'type':'AverageValue','averageValue':'3'}}}",
       "{'type':'Pods','pods':{'metricName':'p','targetAverageValue':'3','selector':"
       "{'matchLabels':{'a':'b'}}}}",
       nullptr},
      {"{'type':'Pods','pods':{'metric':{'name':'p'},'target':{}}}",
       "{'type':'Pods','pods':{'metricName':'p','targetAverageValue':'0'}}",
       "{'type':'Pods','pods':{'metric':{'name':'p'},'target':{'type':'AverageValue',"
       "'averageValue':'0'}}}"},
      {"{'type':'Object','object':{'describedObject':{'kind':'K'},'metric':{'name':'o',"
       "'selector':{}},'target':{'type':'Value','value':'4'}}}",
       "{'type':'Object','object':{'target':{'kind':'K'},'metricName':'o','targetValue':'4',"
       "'selector':{}}}",
       nullptr},
      {"{'type':'Object','object':{'describedObject':{'kind':'K'},'metric':{'name':'o'},"
       "'target':{'type':'AverageValue','averageValue':'4'}}}",
       "{'type':'Object','object':{'target':{'kind':'K'},'metricName':'o','targetValue':'0',"
       "'averageValue':'4'}}",
       nullptr},
      {"{'type':'External','external':{'metric':{'name':'e','selector':{}},'target':"
       "{'type':'Value','value':'5'}}}",
       "{'type':'External','external':{'metricName':'e','metricSelector':{},'targetValue':'5'}}",
       nullptr},
      {"{'type':'External','external':{'metric':{'name':'e'},'target':{'type':'AverageValue',"
       "'averageValue':'6'}}}",
       "{'type':'External','external':{'metricName':'e','targetAverageValue':'6'}}", nullptr},
  };
  for (const Row& row : rows) {
    const json::Value old = FromStored("{'metadata':{'name':'h'},'spec':{'metrics':[" +
                                       std::string(row.metric) + "]}}");
    EXPECT_EQ(Annotation(old, "metrics"), "[" + Text(row.old) + "]");
    EXPECT_FALSE(old["spec"].contains("targetCPUUtilizationPercentage")) << row.metric;
    const json::Value stored = ToStored(old);
    EXPECT_EQ(stored["spec"]["metrics"].Dump(),
              "[" + Text(row.back == nullptr ? row.metric : row.back) + "]");
    EXPECT_EQ(stored["metadata"].Dump(), R"({"name":"h"})");
    EXPECT_FALSE(stored.contains("status") && stored["status"].contains("currentMetrics"));
  }
}

TEST(AutoscalerConversion, Metric_IsInTheOldFormWithItsCurrentValue) {
  struct Row {
    const char* metric;
    const char* old;
    const char* back;  // null: the same as `metric`
  };
  const std::vector<Row> rows = {
      {"{'type':'Resource','resource':{'name':'memory','current':{'averageValue':'9',"
       "'averageUtilization':70}}}",
       "{'type':'Resource','resource':{'name':'memory','currentAverageUtilization':70,"
       "'currentAverageValue':'9'}}",
       nullptr},
      {"{'type':'Resource','resource':{'name':'cpu','current':{}}}",
       "{'type':'Resource','resource':{'name':'cpu','currentAverageValue':'0'}}",
       "{'type':'Resource','resource':{'name':'cpu','current':{'averageValue':'0'}}}"},
      {"{'type':'Pods','pods':{'metric':{'name':'p'},'current':{'averageValue':'1'}}}",
       "{'type':'Pods','pods':{'metricName':'p','currentAverageValue':'1'}}", nullptr},
      {"{'type':'Object','object':{'describedObject':{'kind':'K'},'metric':{'name':'o'},"
       "'current':{'value':'1','averageValue':'2'}}}",
       "{'type':'Object','object':{'target':{'kind':'K'},'metricName':'o','currentValue':'1',"
       "'averageValue':'2'}}",
       nullptr},
      {"{'type':'External','external':{'metric':{'name':'e'},'current':{'averageValue':'2'}}}",
       "{'type':'External','external':{'metricName':'e','currentValue':'0',"
       "'currentAverageValue':'2'}}",
       "{'type':'External','external':{'metric':{'name':'e'},'current':{'value':'0',"
       "'averageValue':'2'}}}"},
  };
  for (const Row& row : rows) {
    const json::Value old =
        FromStored("{'metadata':{},'status':{'currentMetrics':[" + std::string(row.metric) + "]}}");
    EXPECT_EQ(Annotation(old, "current-metrics"), "[" + Text(row.old) + "]");
    EXPECT_EQ(Annotation(old, "metrics"), "");
    const json::Value stored = ToStored(old);
    EXPECT_EQ(stored["status"]["currentMetrics"].Dump(),
              "[" + Text(row.back == nullptr ? row.metric : row.back) + "]");
    EXPECT_FALSE(stored["spec"].contains("metrics")) << row.metric;
  }
}

TEST(AutoscalerConversion, CpuTarget_IsAFieldOfTheOldForm) {
  const std::string cpu =
      "{'type':'Resource','resource':{'name':'cpu','target':{'type':'Utilization',"
      "'averageUtilization':";
  const json::Value old = FromStored(
      "{'metadata':{},'spec':{'scaleTargetRef':{'name':'d'},'minReplicas':1,'maxReplicas':9,"
      "'other':1,'metrics':[" +
      cpu + "50}}},{'type':'Pods','pods':{'metric':{'name':'p'},'target':{}}}," + cpu + "60}}}]}}");
  EXPECT_EQ(old["spec"].Dump(), R"({"scaleTargetRef":{"name":"d"},"minReplicas":1,"maxReplicas":9,)"
                                R"("targetCPUUtilizationPercentage":50})");
  EXPECT_EQ(Annotation(old, "metrics"),
            R"([{"type":"Pods","pods":{"metricName":"p","targetAverageValue":"0"}}])");
  EXPECT_EQ(ToStored(old)["spec"].Dump(),
            Text("{'scaleTargetRef':{'name':'d'},'minReplicas':1,'maxReplicas':9,'metrics':["
                 "{'type':'Pods','pods':{'metric':{'name':'p'},'target':{'type':'AverageValue',"
                 "'averageValue':'0'}}}," +
                 cpu + "50}}}]}"));
}

TEST(AutoscalerConversion, Status_HasCountsAndTheMeasuredCpu) {
  const json::Value old = FromStored(
      "{'metadata':{},'status':{'observedGeneration':2,'lastScaleTime':'t','currentReplicas':3,"
      "'desiredReplicas':4,'currentMetrics':[{'type':'Resource','resource':{'name':'cpu',"
      "'current':{'averageUtilization':33,'averageValue':'1'}}}],'conditions':[{'type':'A'}]}}");
  EXPECT_EQ(old["status"].Dump(),
            R"({"observedGeneration":2,"lastScaleTime":"t","currentReplicas":3,)"
            R"("desiredReplicas":4,"currentCPUUtilizationPercentage":33})");
  EXPECT_EQ(Annotation(old, "conditions"), R"([{"type":"A"}])");
  EXPECT_EQ(ToStored(old)["status"].Dump(),
            Text("{'observedGeneration':2,'lastScaleTime':'t','currentReplicas':3,"
                 "'desiredReplicas':4,'currentMetrics':[{'type':'Resource','resource':"
                 "{'name':'cpu','current':{'averageValue':'1','averageUtilization':33}}}],"
                 "'conditions':[{'type':'A'}]}"));
  EXPECT_EQ(FromStored("{'metadata':{}}").Dump(),
            R"({"metadata":{},"spec":{},"status":{"currentReplicas":0,"desiredReplicas":0}})");
  EXPECT_EQ(
      ToStored(Quoted("{'metadata':{},'status':{'currentCPUUtilizationPercentage':8}}")).Dump(),
      R"({"spec":{},"status":{"currentMetrics":[{"type":"Resource","resource":)"
      R"({"name":"cpu","current":{"averageUtilization":8}}}]},"metadata":{}})");
  EXPECT_EQ(ToStored(Quoted("{'metadata':{},'status':{},'spec':{'maxReplicas':null}}")).Dump(),
            R"({"spec":{},"metadata":{}})");
}

TEST(AutoscalerConversion, Behavior_IsKeptAsAGoStruct) {
  const std::string behavior =
      "{'scaleUp':{'stabilizationWindowSeconds':5,'selectPolicy':'Max','policies':[{'type':"
      "'Pods','value':4,'periodSeconds':60}],'tolerance':'0.1'}}";
  const json::Value old = FromStored("{'metadata':{},'spec':{'behavior':" + behavior + "}}");
  EXPECT_EQ(Annotation(old, "behavior"),
            Text("{'ScaleUp':{'StabilizationWindowSeconds':5,'SelectPolicy':'Max','Policies':["
                 "{'Type':'Pods','Value':4,'PeriodSeconds':60}],'Tolerance':'0.1'},"
                 "'ScaleDown':null}"));
  EXPECT_EQ(ToStored(old)["spec"]["behavior"].Dump(), Text(behavior));

  const json::Value down =
      FromStored("{'metadata':{},'spec':{'behavior':{'scaleDown':{'policies':null}}}}");
  EXPECT_EQ(Annotation(down, "behavior"),
            Text("{'ScaleUp':null,'ScaleDown':{'StabilizationWindowSeconds':null,'SelectPolicy':"
                 "null,'Policies':null,'Tolerance':null}}"));
  EXPECT_EQ(ToStored(down)["spec"]["behavior"].Dump(), R"({"scaleDown":{}})");
}

TEST(AutoscalerConversion, Annotations_OfTheOldFormBelongToTheServer) {
  const std::string prefix = "'" + std::string(kAnnotation);
  std::string sent = "{'metadata':{'annotations':{'mine':'1'";
  for (const char* name : {"metrics", "current-metrics", "conditions", "behavior"}) {
    sent += "," + prefix + name + "':'x'";
  }
  EXPECT_EQ(FromStored(sent + "}}}")["metadata"].Dump(), R"({"annotations":{"mine":"1"}})")
      << "stored ones are stale";
  EXPECT_EQ(ToStored(Quoted(sent + "}},'spec':{}}")).Dump(),
            R"({"spec":{},"metadata":{"annotations":{"mine":"1"}}})")
      << "texts that are no JSON are ignored";
  EXPECT_EQ(ToStored(Quoted("{'metadata':{'annotations':{" + prefix + "behavior':'[]'," + prefix +
                            "conditions':'{}'}}}"))
                .Dump(),
            R"({"spec":{},"metadata":{}})");
}

}  // namespace
}  // namespace kinformer::apiserver
