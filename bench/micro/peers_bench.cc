// Other libraries for comparison with decode_bench: libprotobuf (messages of the same schema, made
// at run time), simdjson and nlohmann::json.

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <google/protobuf/message.h>
#include <memory>
#include <simdjson.h>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "kinformer/api/corev1.h"

#include "api/testing/oracle_schema.h"
#include "micro/data.h"
#include "micro/rates.h"

namespace kinformer::bench {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::unique_ptr<Message> NewPod() {
  static testing::OracleSchema* const schema = new testing::OracleSchema;
  return schema->New(*corev1::Pod::kind_info().message);
}

// Parses each pod separately, as libprotobuf gets it: the bytes are the content of the list without
// the tags around its items.
void ProtobufPodParseLibprotobuf(benchmark::State& state) {
  const auto pod = NewPod();
  std::size_t bytes = 0;
  for (const std::string& message : AllData().protobuf) bytes += message.size();
  for (auto _ : state) {
    for (const std::string& message : AllData().protobuf) {
      if (!pod->ParseFromArray(message.data(), static_cast<int>(message.size()))) std::abort();
    }
  }
  Rates(state, bytes);
}
BENCHMARK(ProtobufPodParseLibprotobuf)->Unit(benchmark::kMillisecond);

// Uses reflection, since the messages are made at run time; descriptors are looked up before.
// Starts at the pod, like our benchmark.
void FieldReadLibprotobuf(benchmark::State& state) {
  const auto pod = NewPod();
  if (!pod->ParseFromString(AllData().protobuf.front())) std::abort();
  const FieldDescriptor* const spec = pod->GetDescriptor()->FindFieldByNumber(2);
  const FieldDescriptor* const node = spec->message_type()->FindFieldByNumber(10);
  std::string scratch;
  for (auto _ : state) {
    const Message& message = pod->GetReflection()->GetMessage(*pod, spec);
    benchmark::DoNotOptimize(
        message.GetReflection()->GetStringReference(message, node, &scratch).data());
  }
}
BENCHMARK(FieldReadLibprotobuf);

void ConditionReadLibprotobuf(benchmark::State& state) {
  const auto pod = NewPod();
  if (!pod->ParseFromString(AllData().protobuf.front())) std::abort();
  const FieldDescriptor* const status = pod->GetDescriptor()->FindFieldByNumber(3);
  const FieldDescriptor* const conditions = status->message_type()->FindFieldByNumber(2);
  const FieldDescriptor* const type = conditions->message_type()->FindFieldByNumber(1);
  std::string scratch;
  for (auto _ : state) {
    const Message& message = pod->GetReflection()->GetMessage(*pod, status);
    const Message& first = message.GetReflection()->GetRepeatedMessage(message, conditions, 0);
    benchmark::DoNotOptimize(
        first.GetReflection()->GetStringReference(first, type, &scratch).data());
  }
}
BENCHMARK(ConditionReadLibprotobuf);

void SimdjsonKeys(simdjson::ondemand::object object) {
  simdjson::ondemand::object metadata = object["metadata"].get_object();
  for (const char* name : {"name", "namespace", "resourceVersion"}) {
    std::string_view text;
    if (metadata[name].get_string().get(text) != simdjson::SUCCESS) std::abort();
    benchmark::DoNotOptimize(text.data());
  }
}

void RunSimdjsonList(benchmark::State& state, const std::string& body) {
  const simdjson::padded_string padded(body);
  simdjson::ondemand::parser parser;
  for (auto _ : state) {
    simdjson::ondemand::document document = parser.iterate(padded);
    for (auto item : document["items"].get_array()) SimdjsonKeys(item.get_object());
  }
  Rates(state, body.size());
}
void JsonListKeysSimdjson(benchmark::State& state) { RunSimdjsonList(state, AllData().json_list); }
void JsonEscapedListKeysSimdjson(benchmark::State& state) {
  RunSimdjsonList(state, AllData().escaped_list);
}
BENCHMARK(JsonListKeysSimdjson)->Unit(benchmark::kMillisecond);
BENCHMARK(JsonEscapedListKeysSimdjson)->Unit(benchmark::kMillisecond);

void JsonWatchEventSimdjson(benchmark::State& state) {
  const simdjson::padded_string padded(AllData().json_watch);
  simdjson::ondemand::parser parser;
  for (auto _ : state) {
    simdjson::ondemand::document_stream stream = parser.iterate_many(padded);
    for (auto event : stream) SimdjsonKeys(event["object"].get_object());
  }
  Rates(state, padded.size());
}
BENCHMARK(JsonWatchEventSimdjson)->Unit(benchmark::kMillisecond);

std::size_t JsonBytes() {
  std::size_t bytes = 0;
  for (const std::string& object : AllData().json) bytes += object.size();
  return bytes;
}

void JsonObjectParseSimdjson(benchmark::State& state) {
  simdjson::dom::parser parser;
  for (auto _ : state) {
    for (const std::string& object : AllData().json) {
      if (parser.parse(object).error() != simdjson::SUCCESS) std::abort();
    }
  }
  Rates(state, JsonBytes());
}
BENCHMARK(JsonObjectParseSimdjson)->Unit(benchmark::kMillisecond);

void JsonObjectParseNlohmann(benchmark::State& state) {
  for (auto _ : state) {
    for (const std::string& object : AllData().json) {
      benchmark::DoNotOptimize(nlohmann::json::parse(object).size());
    }
  }
  Rates(state, JsonBytes());
}
BENCHMARK(JsonObjectParseNlohmann)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kinformer::bench
