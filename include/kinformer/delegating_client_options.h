// kinformer/delegating_client_options.h
//
// The options of a DelegatingClient, and of what is read, applied and deleted through one.

#ifndef KINFORMER_DELEGATING_CLIENT_OPTIONS_H_
#define KINFORMER_DELEGATING_CLIENT_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/field_selector.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/label_selector.h"

namespace kinformer {

// Everything has a default. Counterpart: client.Options of controller-runtime, and
// cache.Options.ReaderFailOnMissingInformer.
struct DelegatingClientOptions {
  // How long a read waits at most for what this client has written before. 0: it does not wait.
  internal::TimeSpan read_your_writes_timeout{std::chrono::seconds(5)};
  // A read of what nobody has asked an informer for is an error (kInvalidArgument), instead of
  // making one. For programs that must not begin to watch a whole collection by accident.
  bool reader_fail_on_missing_informer{false};
  // Reads of kinds that are known at run time only come from a cache, too, and not from the server.
  bool cache_unstructured{false};
  // The fieldManager of writes that name none. Empty: the server takes the user agent.
  std::string field_owner{};
  // What the server does about unknown and duplicate fields of writes that do not say so: "Ignore",
  // "Warn", "Strict". Empty: its default.
  std::string field_validation{};
  // All writes are checked and answered, and change nothing.
  bool dry_run{false};
};

// Which objects a List gives, or a DeleteAllOf deletes: those that satisfy all of these.
// Counterpart: client.ListOptions: InNamespace, MatchingLabels, MatchingFields, Limit.
struct ReadOptions {
  std::string namespace_{};  // empty: all, or the kind has none
  LabelSelector label_selector{};
  // From a cache: `field=value` of fields that IndexField was called for. From the server, and of
  // what is deleted: what the server knows.
  FieldSelector field_selector{};
  std::size_t limit{0};  // that many at most; 0: all
};

// How an object is applied. Counterpart: client.FieldOwner, ForceOwnership and DryRunAll.
struct ApplyOptions {
  std::string fieldManager{};  // who owns the fields; empty: DelegatingClientOptions::field_owner
  bool force{false};           // take fields from other managers
  std::vector<std::string> dryRun{};
};

}  // namespace kinformer

#endif  // KINFORMER_DELEGATING_CLIENT_OPTIONS_H_
