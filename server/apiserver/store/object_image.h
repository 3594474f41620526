// apiserver/store/object_image.h
//
// ObjectImage: a stored object as bytes, for files. Reading one costs a copy of its texts, and
// parses no JSON.

#ifndef KINFORMER_APISERVER_STORE_OBJECT_IMAGE_H_
#define KINFORMER_APISERVER_STORE_OBJECT_IMAGE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// All functions are thread-safe: they use what never changes of an object.
class ObjectImage {
 public:
  // Appends the image of the object; its length is part of it.
  static void Append(const StoredObject& stored, std::string& out);
  // Takes an image from the beginning of `rest`. Returns null if there is none, or a damaged one.
  static StoredObjectPtr Take(std::string_view& rest);
};

// ---- Parts of images, and of what is stored beside them: numbers, the lowest byte first, and
// texts after their lengths.
void AppendNumber(std::uint64_t number, std::string& out);
void AppendLengthAndText(std::string_view text, std::string& out);

// Takes parts from the beginning of a text. Once one is missing, ok() stays false, and all later
// ones are 0 or empty.
class PartReader {
 public:
  explicit PartReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t Number();
  std::string_view Text();
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::string_view& rest() { return rest_; }
  // Notes that what was read makes no sense.
  void Fail() { ok_ = false; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_OBJECT_IMAGE_H_
