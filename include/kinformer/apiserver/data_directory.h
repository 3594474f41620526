// kinformer/apiserver/data_directory.h
//
// OpenDataDirectory: a folder in which an ApiServer keeps what it stores, on the disk.
//
//   auto storage = apiserver::OpenDataDirectory(env, "/var/lib/kinformer").OrExit();
//   apiserver::ApiServer server(env, {.storage = storage});
//
// Link kinformer::apiserver_data.

#ifndef KINFORMER_APISERVER_DATA_DIRECTORY_H_
#define KINFORMER_APISERVER_DATA_DIRECTORY_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"

namespace kinformer::apiserver {

class Storage;  // what ApiServerOptions::storage takes

// Settings of a data directory.
struct DataDirectoryOptions {
  // Changes that can be watched again after a restart: of all resources together, and for how long.
  std::size_t history_events{100'000};
  TimeSpan history_age{std::chrono::minutes(5)};
  // Limit of the database's size; beyond it, writes are refused as on a full disk. 0: none.
  std::size_t max_bytes{0};
};

// Opens or makes the folder, and reads what it has. Blocks; not for the loop.
//
// Guarantees: the answer to a request that writes is sent when the write is on the disk, whatever
// happens to the process or the machine afterwards; writes that wait together are one commit. A
// read or a watch may see a write some milliseconds earlier. If the process then ends before the
// commit, the version is not used again, and whoever asks for it gets 410. After a restart watches
// go on from any version that history has. In-process calls of ApiServer do not wait. If the disk
// takes no more, writes get 507, and reads go on.
//
// One process at a time. Only this user can read the folder. Errors: kConfig, which names the
// folder and what to do: in use, not writable, damaged, or of a newer version's format.
// Counterpart: the data folder of etcd.
Result<std::shared_ptr<Storage>> OpenDataDirectory(Env& env, const std::string& path,
                                                   DataDirectoryOptions options = {});

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DATA_DIRECTORY_H_
