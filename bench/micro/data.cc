#include "micro/data.h"

#include <cstdlib>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/json/json.h"

#include "micro/pods.h"
#include "object/transcode/block_text.h"
#include "wire/protobuf_writer.h"

namespace kinformer::bench {
namespace {

constexpr const char* kListHead =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)";

std::string WithLastApplied(const std::string& text) {
  json::Value object = json::Parse(text).value_or(json::Value());
  json::Value applied = object;
  applied.Ensure("metadata").Erase("managedFields");
  applied.Erase("status");
  object.Ensure("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration") =
      applied.Dump();
  return object.Dump();
}

Data Make() {
  Data data;
  for (const std::string& pod : MakePods()) {
    const auto block = internal::BuildFromJson(corev1::Pod::kind_info(), pod);
    if (!block) std::abort();
    // In the order of members in which servers write them.
    data.json.push_back(internal::BlockToJson(**block));
    data.protobuf.emplace_back((*block)->payload());
  }
  std::string list;
  wire::ProtobufWriter writer(list);
  writer.Nested(1, [](wire::ProtobufWriter& meta) { meta.BytesField(2, "7"); });
  for (const std::string& pod : data.protobuf) writer.BytesField(2, pod);
  data.protobuf_list.assign("k8s\0", 4);
  wire::ProtobufWriter(data.protobuf_list).BytesField(2, list);

  data.json_list = data.escaped_list = kListHead;
  const char* separator = "";
  for (const std::string& pod : data.json) {
    data.json_list += separator + pod;
    data.escaped_list += separator + WithLastApplied(pod);
    data.json_watch += R"({"type":"MODIFIED","object":)" + pod + "}\n";
    separator = ",";
  }
  data.json_list += "]}";
  data.escaped_list += "]}";
  return data;
}

}  // namespace

const Data& AllData() {
  static const Data* const data = new Data(Make());
  return *data;
}

}  // namespace kinformer::bench
