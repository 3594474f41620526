// kinformer/controller/delegating_client_options.h
//
// Options of a DelegatingClient, and of its reads and deletions.

#ifndef KINFORMER_CONTROLLER_DELEGATING_CLIENT_OPTIONS_H_
#define KINFORMER_CONTROLLER_DELEGATING_CLIENT_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/request_options.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"

namespace kinformer {

// Options of a DelegatingClient. Counterpart: client.Options of controller-runtime, and
// cache.Options.ReaderFailOnMissingInformer.
struct DelegatingClientOptions {
  // Longest time that a read waits for earlier writes of this client. 0: it does not wait.
  TimeSpan read_your_writes_timeout{std::chrono::seconds(5)};
  // Sends no Update, Patch and Apply that would change nothing in the object as the cache has it;
  // their answer is the cached object. See delegating_client.h.
  bool match_before_write{true};
  // Makes a read without an existing informer an error (kInvalidArgument), instead of creating the
  // informer. For programs that must not begin to watch a whole collection by accident.
  bool reader_fail_on_missing_informer{false};
  // Reads kinds that are known only at run time from a cache too, and not from the server.
  bool cache_unstructured{false};
  // Default fieldManager of writes. Empty: the server takes the user agent.
  std::string field_owner{};
  // Default fieldValidation of writes, for unknown and duplicate fields: "Ignore", "Warn" or
  // "Strict". Empty: the server's default.
  std::string field_validation{};
  // Sends all writes as dry runs: the server checks and answers them, but changes nothing.
  bool dry_run{false};
};

// Selects the objects of a List or DeleteAllOf; all conditions must hold. Counterpart:
// client.ListOptions: InNamespace, MatchingLabels, MatchingFields, Limit.
struct ReadOptions {
  std::string namespace_{};  // empty: all, or the kind has none
  LabelSelector label_selector{};
  // For reads from a cache: `field=value`, for fields given to IndexField. For reads from the
  // server and deletions: the fields that the server supports.
  FieldSelector field_selector{};
  std::size_t limit{0};  // maximal number of objects; 0: all
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_DELEGATING_CLIENT_OPTIONS_H_
