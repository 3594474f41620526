// cli/size_replay.h
//
// SizeReplay: serves a collection made of sampled objects, as many as wanted, to an informer.

#ifndef KINFORMER_CLI_SIZE_REPLAY_H_
#define KINFORMER_CLI_SIZE_REPLAY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/client/transport.h"
#include "kinformer/object/kind_info.h"

#include "cli/size_frames.h"
#include "cli/size_sample.h"

namespace kinformer::cli {

// The bytes of an object, and the places of its name, namespace and uid in them. Makes any number
// of different objects of the same size.
class ReplayedObject {
 public:
  ReplayedObject(const internal::Block& object, ObjectForm form);

  // Returns the bytes with the number in place of the first characters of the name and of the last
  // ones of the uid, and with a namespace. The result is valid until the next call.
  // REQUIRES: `namespace_text` has the size of the object's own.
  [[nodiscard]] const std::string& At(std::uint64_t number, std::string_view namespace_text);
  [[nodiscard]] const std::string& own_namespace() const { return namespace_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  enum class Field { kName, kUid, kNamespace };
  // Digits of a number.
  struct Place {
    std::size_t begin;
    std::size_t size;
  };
  void FindInJson(const internal::Block& object);
  void FindInMessage(const internal::Block& object, std::string_view message);
  void AddPlace(std::size_t begin, std::size_t size, Field field);

  std::string namespace_;
  std::string bytes_;
  std::vector<Place> number_places_{};
  std::vector<std::size_t> namespace_places_{};
};

// Answers lists and watches of one resource, whatever their path and selectors: watch-lists, lists
// without pages, and watches without events. Each object of the sample appears by its weight. Like
// a real server, it sends protobuf or JSON, and the metadata alone, as the client wants it.
//
// Loop-confined, but for the constructor and what says so. Refers to the sample.
class SizeReplay final : public Handler {
 public:
  // REQUIRES: the sample has objects.
  SizeReplay(const KindInfo& type, const SizeSample& sample);

  // Sets the number of objects of later answers. Thread-safe.
  void SetObjects(std::uint64_t objects) { objects_.store(objects); }
  // Returns the mean size of an object, in the form that the kind's informers get.
  [[nodiscard]] double MeanBytes() const { return mean_bytes_; }

  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;

 private:
  class Stream;
  std::vector<ReplayedObject>& Forms(ObjectForm form);
  struct Item {
    std::uint32_t object;  // of the sample
    std::string namespace_;
  };
  [[nodiscard]] std::vector<std::uint32_t> Order(std::uint64_t objects) const;
  // Returns the objects of an answer, in the order in which a server lists them.
  [[nodiscard]] std::vector<Item> Items(const std::vector<ReplayedObject>& forms) const;

  const KindInfo& type_;
  const SizeSample& sample_;
  std::atomic<std::uint64_t> objects_{0};
  double mean_bytes_ = 0;
  // The sample by size, and its weights added up.
  std::vector<double> weights_{};
  std::vector<internal::ObjectRef> renamed_{};
  std::vector<ReplayedObject> forms_[3];
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SIZE_REPLAY_H_
