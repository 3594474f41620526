// kinformer/sinks/snapshot_sink.h
//
// SnapshotSink: a place outside the program that mirrors collections of the API server: a database,
// a file, a search index. SnapshotFeed (snapshot_feed.h) fills it. One function is enough:
//
//   class NamesInAMap final : public SnapshotSink {
//    public:
//     Result<void> Commit(const SinkBatch& batch) override {
//       if (batch.complete) names.clear();
//       for (const SinkChange& change : batch.changes) {
//         if (change.removes()) {
//           names.erase(change.Key());
//         } else {
//           names[change.Key()] = change.object()->ToJson();
//         }
//       }
//       return {};
//     }
//     std::map<std::string, std::string> names;
//   };
//
// Sinks that are there: sqlite_sink.h, postgres_sink.h, json_lines_sink.h.

#ifndef KINFORMER_SINKS_SNAPSHOT_SINK_H_
#define KINFORMER_SINKS_SNAPSHOT_SINK_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {

// A collection of the server in a sink.
struct ExportedResource {
  // Name of the resource, with its group unless that is the core group: "pods",
  // "widgets.example.com".
  std::string name{};
  // Says in words which objects of which cluster they are. A sink that holds the objects of another
  // source refuses these, since versions of two clusters cannot be compared.
  std::string source{};
};

// An object as a sink knows it.
struct HeldObject {
  ObjectName name{};
  std::string uid{};
  std::string resourceVersion{};
};

// One change of a batch. Views that it returns live as long as the change.
class SinkChange {
 public:
  // Makes the change that adds or replaces the object.
  static SinkChange Upsert(Ref<Unstructured> object) { return {std::move(object), false}; }
  // Makes the change that removes an object, whose last state this is.
  static SinkChange Remove(Ref<Unstructured> object) { return {std::move(object), true}; }
  // Makes the change that removes an object, of which only this is known: a list lacks it.
  static SinkChange Remove(HeldObject held) {
    SinkChange change({}, true);
    change.held_ = std::move(held);
    return change;
  }

  [[nodiscard]] bool removes() const { return removes_; }
  [[nodiscard]] std::string_view namespace_() const {
    return object_ ? object_.object()->namespace_() : std::string_view(held_.name.namespace_);
  }
  [[nodiscard]] std::string_view name() const {
    return object_ ? object_.object()->name() : std::string_view(held_.name.name);
  }
  [[nodiscard]] std::string_view uid() const {
    return object_ ? object_.object()->uid() : std::string_view(held_.uid);
  }
  // Returns the object's version; for a removal that of the deletion, or of the last state held if
  // a list lacks the object.
  [[nodiscard]] std::string_view resourceVersion() const {
    return object_ ? object_.object()->resourceVersion() : std::string_view(held_.resourceVersion);
  }
  // Returns "namespace/name", or "name" without a namespace.
  [[nodiscard]] std::string Key() const;
  // Returns the object, or the last state of a removed one. Null if a list lacks it.
  [[nodiscard]] const Ref<Unstructured>& object() const { return object_; }

 private:
  SinkChange(Ref<Unstructured> object, bool removes)
      : object_(std::move(object)), removes_(removes) {}

  Ref<Unstructured> object_;
  HeldObject held_{};
  bool removes_;
};

// The changes from one version of a collection to a later one.
struct SinkBatch {
  ExportedResource resource{};
  // The version that the sink holds; empty: none.
  std::string from{};
  // The version that it holds afterwards. It is later than `from`, unless the server went back in
  // time (it was restored from a backup): then a list has brought the changes.
  std::string to{};
  // True if `changes` are the whole collection: what the sink has beside them is gone.
  bool complete = false;
  // In the server's order; an object may occur several times.
  std::vector<SinkChange> changes{};
};

// Target of a SnapshotFeed, which calls one function at a time, on the thread of its Run. Functions
// may block. Exceptions end Run, and are counted.
//
// Errors of the reasons kTimeout, kServiceUnavailable, kTransport, kConnectionRefused and
// kOverLimit pass by themselves: the feed logs them and calls the function again, with the same
// arguments, after a pause of up to 30 s. Any other error ends Run.
class SnapshotSink {
 public:
  virtual ~SnapshotSink() = default;

  // Returns the version of the collection that the sink holds; empty: none. Called at the start of
  // each Run, before anything else for this resource. The default holds nothing, so that each Run
  // begins with a list.
  virtual Result<std::string> Open(const ExportedResource& resource) {
    static_cast<void>(resource);
    return std::string();
  }

  // Returns all objects that it holds, so that a list brings only what differs. Called if the
  // server cannot continue at the held version. Nothing, as by default: the list comes as a
  // complete batch.
  virtual Result<std::optional<std::vector<HeldObject>>> Objects(const ExportedResource& resource) {
    static_cast<void>(resource);
    return std::optional<std::vector<HeldObject>>();
  }

  // Makes the changes of the batch and `batch.to`, all of them or none, even if the program is
  // killed: then a mirror is one version of the collection at any time, and Open returns which. A
  // batch may have no changes. After an error of unknown outcome it comes again: if the sink holds
  // `batch.to` already, it must succeed.
  virtual Result<void> Commit(const SinkBatch& batch) = 0;
};

}  // namespace kinformer

#endif  // KINFORMER_SINKS_SNAPSHOT_SINK_H_
