// apiserver/etcd/etcd_json.h
//
// Requests and answers of etcd's JSON API: keys and values in base64, numbers as strings.

#ifndef KINFORMER_APISERVER_ETCD_ETCD_JSON_H_
#define KINFORMER_APISERVER_ETCD_ETCD_JSON_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/etcd/etcd.h"

namespace kinformer::apiserver {

// ---- Bodies of requests.
std::string RangeJson(const EtcdRange& range);
std::string TransactionJson(const EtcdTransaction& transaction);
std::string WatchJson(std::int64_t from);
// Returns {"name":"number"}.
std::string NumberJson(std::string_view name, std::int64_t number);

// ---- Answers.
std::int64_t NumberOf(const json::Value& value);
EtcdPage PageOf(const json::Value& answer);
EtcdOutcome OutcomeOf(const json::Value& answer);
// Returns the error of an answer other than 200, which has a code of gRPC and a message.
Error EtcdErrorOf(int status, std::string_view body);

// A line of a watch: its changes, or why it is over.
struct EtcdLine {
  std::vector<EtcdValue> changes{};
  bool over = false;
  std::int64_t compacted = 0;
  std::string why{};
};
EtcdLine LineOf(std::string_view line);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ETCD_ETCD_JSON_H_
