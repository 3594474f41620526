// kinformer/apiserver/etcd.h
//
// OpenEtcd: an etcd in which several ApiServers keep the same objects.
//
//   auto etcd = apiserver::OpenEtcd(env, {.servers = {"http://127.0.0.1:2379"}}).OrExit();
//   apiserver::ApiServer server(env, {.shared_storage = etcd});
//
// Link kinformer::apiserver_etcd.

#ifndef KINFORMER_APISERVER_ETCD_H_
#define KINFORMER_APISERVER_ETCD_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"

namespace kinformer::apiserver {

class SharedStorage;  // what ApiServerOptions::shared_storage takes

// Where an etcd is, and what of it belongs to the servers. Counterpart: kube-apiserver's options
// --etcd-servers and so on.
struct EtcdOptions {
  // Addresses of the members of one etcd, with http:// or https://. One is used at a time.
  std::vector<std::string> servers{};
  std::string prefix{"/registry"};  // of all keys
  std::string ca_file{};            // who may sign etcd's certificate; empty: the system's CAs
  std::string cert_file{};          // the client certificate, and its key
  std::string key_file{};
  // A user of etcd, if it has authentication: it needs the right to read and write all keys.
  std::string user{};
  std::string password{};
  // How often one of the servers removes revisions that are as old; 0: never.
  TimeSpan compaction_interval{std::chrono::minutes(5)};
  // Changes before the start that can be watched again, if etcd still has them.
  std::size_t history_events{100'000};
  // Longest time that etcd may take for an answer.
  TimeSpan patience{std::chrono::seconds(5)};
};

// Reads all objects, and begins to follow their changes. Blocks; not for the loop. For one
// ApiServer, and for an Env that is a Runtime.
//
// Guarantees: a resourceVersion is etcd's revision, so it means the same on all servers, and a
// watch goes on from it on any of them. A write is made by a transaction that fails if another
// server has changed the object; it is then tried again on what that server wrote, or answered 409.
// The answer to a write is sent when etcd has it. A read without a resourceVersion shows all that
// any server has acknowledged before it. If etcd cannot be reached, requests get 503, or 504 where
// it is not known whether a write was made; reads with a resourceVersion and watches go on, and
// watches show later what they have missed. If etcd has dropped those changes, watches get 410.
//
// Errors: kConfig names the option; others say what etcd answered. Counterpart: kube-apiserver's
// storage and its watch cache.
Result<std::shared_ptr<SharedStorage>> OpenEtcd(Env& env, const EtcdOptions& options);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ETCD_H_
