// apiserver/request/object_encoder.h
//
// Encoding of stored objects in responses: single objects, list items and watch frames, in every
// form that clients may request.

#ifndef KINFORMER_APISERVER_REQUEST_OBJECT_ENCODER_H_
#define KINFORMER_APISERVER_REQUEST_OBJECT_ENCODER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/store/resource_store.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Returns whether the response is a copy of the stored text, without conversion.
[[nodiscard]] inline bool IsStoredText(const ResourceAt& at, const OutputFormat& format) {
  const bool converts = format.form == Form::kObject && at.version->conversion != nullptr;
  return format.media == MediaType::kJson && !format.pretty && format.form != Form::kTable &&
         !converts;
}

// Returns a copy for work on another thread, as the definition may change in the meantime.
[[nodiscard]] inline ResourceAt Unchanging(ResourceAt at) {
  if (at.resource->custom) at.resource = std::make_shared<ServedResource>(*at.resource);
  return at;
}

// Metadata of a list.
struct ListHead {
  std::string resource_version{};
  std::string continue_{};
  std::int64_t remaining = 0;
  std::string shard_info{};  // the shard selector that was applied
};

// Loop-confined, as stored objects are; thread-safe for an object that no other thread uses.
class ObjectEncoder {
 public:
  // `now`: base of ages.
  ObjectEncoder(ResourceAt at, OutputFormat format, WallTime now)
      : at_(std::move(at)), format_(std::move(format)), now_(now) {}

  [[nodiscard]] const OutputFormat& format() const { return format_; }
  [[nodiscard]] const ResourceAt& at() const { return at_; }
  [[nodiscard]] WallTime now() const { return now_; }
  // Sets the base of ages.
  void set_now(WallTime now) { now_ = now; }

  // Encodes a whole response with one object. `document`: the object, parsed, if available; else
  // not an object.
  [[nodiscard]] std::string Object(const StoredObjectPtr& stored,
                                   const json::Value& document = json::Value()) const;

  // Lists as JSON: the text before the items, one item, and the text after them.
  void AppendListHead(const ListHead& head, std::string& out) const;
  void AppendListItem(const StoredObjectPtr& stored, bool first, std::string& out) const;
  static void AppendListTail(std::string& out);
  // Lists as protobuf: the ListMeta field, and one item's bytes without tag.
  [[nodiscard]] static std::string ListMetaField(const ListHead& head);
  // Returns a view into `stored` or into `scratch`.
  [[nodiscard]] std::string_view ListItemMessage(const StoredObjectPtr& stored,
                                                 std::string& scratch) const;
  [[nodiscard]] std::size_t ListItemSize(const StoredObjectPtr& stored) const;
  // apiVersion and kind of the list.
  [[nodiscard]] std::string ListApiVersion() const;
  [[nodiscard]] std::string ListKind() const;

  // Whether frames are the stored object's bytes between two constant pieces of the version.
  [[nodiscard]] bool plain() const {
    return format_.media == MediaType::kJson && format_.form == Form::kObject &&
           at_.version->conversion == nullptr;
  }
  // Returns a whole frame. `first`: a Table includes its columns.
  [[nodiscard]] std::string Frame(EventType type, const StoredObjectPtr& stored, bool first) const;
  [[nodiscard]] std::string Bookmark(std::int64_t resource_version,
                                     bool end_of_initial_events) const;
  [[nodiscard]] std::string ErrorFrame(const Error& error) const;
  // Returns equal keys for encoders that make equal frames.
  [[nodiscard]] std::string FrameKey(EventType type, bool first) const;

 private:
  // Returns the object in the form of this version; `holder` owns it if it was converted. Metadata
  // alone is not converted, as on a real server.
  const StoredObject& Shown(const StoredObjectPtr& stored, StoredObjectPtr& holder) const;
  [[nodiscard]] std::string ObjectJson(const StoredObjectPtr& stored, bool first) const;
  [[nodiscard]] std::string TableJson(std::string_view rows, std::string_view metadata,
                                      bool columns) const;
  void AppendRow(const StoredObjectPtr& stored, std::string& out) const;
  [[nodiscard]] std::string_view Message(const StoredObjectPtr& stored, std::string& scratch,
                                         const json::Value& document = json::Value()) const;
  [[nodiscard]] std::string WrapFrame(std::string_view type, std::string_view object_json,
                                      std::string_view message, std::string_view api_version,
                                      std::string_view kind) const;

  ResourceAt at_;
  OutputFormat format_;
  WallTime now_;
};

// Returns the text of the metadata in a stored object's body.
std::string_view MetadataText(std::string_view body);

// Returns the JSON pretty-printed, as YAML, or unchanged.
std::string Render(const OutputFormat& format, std::string json);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_OBJECT_ENCODER_H_
