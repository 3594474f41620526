#include "cli/size_replay.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "kinformer/json/json.h"
#include "kinformer/object/object.h"
#include "kinformer/object/object_from_json.h"

#include "cli/size_frames.h"
#include "transport/responses.h"

namespace kinformer::cli {
namespace {

using internal::Block;
using internal::ObjectRef;

// Characters that a number takes; shorter names cannot count the objects of a large collection.
constexpr std::size_t kNumberSize = 6;
constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr double kGoldenRatio = 0.61803398874989485;

// Writes the number into the `size` characters from `begin` on, or its last digits if there is no
// room for all.
void WriteNumber(std::string& text, std::size_t begin, std::size_t size, std::uint64_t number) {
  for (std::size_t at = begin + size; at > begin; number /= kDigits.size()) {
    text[--at] = kDigits[number % kDigits.size()];
  }
}

// Returns a namespace of the same size as `own`: one for each number.
std::string NamespaceFor(std::string_view own, std::uint64_t number) {
  std::string text(own.size(), 'x');
  WriteNumber(text, 0, std::min(own.size(), kNumberSize), number);
  return text;
}

// Returns the object with a name that is long enough.
ObjectRef Renamed(const ObjectRef& object) {
  if (object->name().size() >= kNumberSize) return object;
  Result<json::Value> value = json::Parse(Object(object.get()).ToJson());
  if (!value) return object;
  std::string name(object->name());
  name.append(kNumberSize - name.size(), 'x');
  value->Ensure("metadata").Ensure("name") = std::move(name);
  const Result<AnyRef> made = ObjectFromJson(object->type(), value->Dump());
  return made ? ObjectRef::Share((*made)->block()) : object;
}

std::string JsonOf(const Block& object) { return Object(&object).ToJson(); }

HttpHeaders ContentType(std::string_view type) {
  HttpHeaders headers;
  headers.Add("Content-Type", type);
  return headers;
}

}  // namespace

ReplayedObject::ReplayedObject(const Block& object, ObjectForm form)
    : namespace_(object.namespace_()) {
  switch (form) {
    case ObjectForm::kJson:
      bytes_ = JsonOf(object);
      FindInJson(object);
      break;
    case ObjectForm::kProtobuf:
      bytes_ = object.payload();
      FindInMessage(object, object.payload());
      break;
    case ObjectForm::kMetadata: {
      const std::string_view metadata = object.metadata_bytes();
      bytes_ = MetadataMessage(metadata);
      FindInMessage(object, metadata);
      break;
    }
  }
}

void ReplayedObject::FindInJson(const Block& object) {
  const auto find = [this](const char* member, std::string_view value, Field field) {
    const std::string text = std::string("\"") + member + "\":\"" + std::string(value) + "\"";
    for (std::size_t at = bytes_.find(text); at != std::string::npos;
         at = bytes_.find(text, at + text.size())) {
      AddPlace(at + text.size() - 1 - value.size(), value.size(), field);
    }
  };
  find("name", object.name(), Field::kName);
  find("uid", object.uid(), Field::kUid);
  if (!object.namespace_().empty()) find("namespace", object.namespace_(), Field::kNamespace);
}

void ReplayedObject::FindInMessage(const Block& object, std::string_view message) {
  // The message is at the end of the bytes.
  const std::size_t begin = bytes_.size() - message.size();
  const auto add = [&](std::string_view text, Field field) {
    if (text.empty()) return;
    AddPlace(begin + static_cast<std::size_t>(text.data() - message.data()), text.size(), field);
  };
  add(object.name(), Field::kName);
  add(object.uid(), Field::kUid);
  add(object.namespace_(), Field::kNamespace);
}

void ReplayedObject::AddPlace(std::size_t begin, std::size_t size, Field field) {
  const std::size_t digits = std::min(size, kNumberSize);
  if (field == Field::kNamespace) {
    namespace_places_.push_back(begin);
  } else {
    number_places_.push_back({field == Field::kUid ? begin + size - digits : begin, digits});
  }
}

const std::string& ReplayedObject::At(std::uint64_t number, std::string_view namespace_text) {
  for (const Place& place : number_places_) WriteNumber(bytes_, place.begin, place.size, number);
  for (const std::size_t begin : namespace_places_) {
    bytes_.replace(begin, namespace_.size(), namespace_text);
  }
  return bytes_;
}

// One answer. Objects are made when the client can take them.
class SizeReplay::Stream final : public ResponseStream {
 public:
  Stream(SizeReplay& replay, const SizeFrames& frames, ObjectForm form, bool watch)
      : objects_(replay.Forms(form)),
        frames_(frames),
        watch_(watch),
        items_(replay.Items(objects_)),
        headers_(ContentType(frames.ContentType(watch))) {
    if (!watch) pending_ = frames_.ListHead(TotalBytes());
  }

  [[nodiscard]] int status() const override { return 200; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  void SetWake(std::function<void()> /*wake*/) override {}

  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    std::string chunk = std::exchange(pending_, {});
    for (; next_ < items_.size() && chunk.size() < max_bytes; ++next_) {
      const Item& item = items_[next_];
      frames_.Append(objects_[item.object].At(next_, item.namespace_), watch_, next_ == 0, chunk);
    }
    State state = State::kMore;
    if (next_ == items_.size()) {
      if (!std::exchange(ended_, true)) chunk += watch_ ? frames_.End() : frames_.ListTail();
      state = watch_ ? State::kWait : State::kEnd;
    }
    if (!chunk.empty()) out.push_back(BodyChunk::Of(std::move(chunk)));
    return state;
  }

 private:
  [[nodiscard]] std::size_t TotalBytes() const {
    std::size_t bytes = 0;
    for (const Item& item : items_) bytes += frames_.ItemBytes(objects_[item.object].size());
    return bytes;
  }

  std::vector<ReplayedObject>& objects_;
  const SizeFrames frames_;
  const bool watch_;
  const std::vector<Item> items_;
  const HttpHeaders headers_;
  std::string pending_{};
  std::size_t next_ = 0;
  bool ended_ = false;
};

SizeReplay::SizeReplay(const KindInfo& type, const SizeSample& sample)
    : type_(type), sample_(sample) {
  std::vector<const SampledObject*> by_size;
  for (const SampledObject& sampled : sample.sampled) by_size.push_back(&sampled);
  std::sort(by_size.begin(), by_size.end(), [](const SampledObject* a, const SampledObject* b) {
    return a->object->payload().size() < b->object->payload().size();
  });
  double sum = 0;
  for (const SampledObject* sampled : by_size) {
    const Block& object = *sampled->object;
    const std::size_t size = object.encoding() == internal::Encoding::kProtobuf
                                 ? object.payload().size()
                                 : JsonOf(object).size();
    mean_bytes_ += static_cast<double>(size) * sampled->weight;
    weights_.push_back(sum += sampled->weight);
    renamed_.push_back(Renamed(sampled->object));
  }
  mean_bytes_ /= sum;
}

std::vector<ReplayedObject>& SizeReplay::Forms(ObjectForm form) {
  std::vector<ReplayedObject>& forms = forms_[static_cast<std::size_t>(form)];
  if (forms.empty()) {
    for (const ObjectRef& object : renamed_) forms.emplace_back(*object, form);
  }
  return forms;
}

std::vector<std::uint32_t> SizeReplay::Order(std::uint64_t objects) const {
  // Shares of the weights, rounded so that they add up. Objects of about one size are neighbours
  // here, so that the sum of all sizes is right, too.
  std::vector<std::pair<double, std::uint32_t>> places;
  places.reserve(objects);
  double place = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const double end = std::round(weights_[i] / weights_.back() * static_cast<double>(objects));
    for (; places.size() < static_cast<std::uint64_t>(end); place += kGoldenRatio) {
      places.emplace_back(place - std::floor(place), static_cast<std::uint32_t>(i));
    }
  }
  // Multiples of the golden ratio mix them evenly.
  std::sort(places.begin(), places.end());
  std::vector<std::uint32_t> order;
  order.reserve(objects);
  for (const auto& [at, index] : places) order.push_back(index);
  return order;
}

std::vector<SizeReplay::Item> SizeReplay::Items(const std::vector<ReplayedObject>& forms) const {
  const std::vector<std::uint32_t> order = Order(objects_.load());
  const auto all = static_cast<double>(sample_.namespaces.size());
  const double part = static_cast<double>(order.size()) /
                      static_cast<double>(std::max<std::uint64_t>(1, sample_.objects));
  const auto namespaces = static_cast<std::uint64_t>(std::ceil(all * part));
  // A complete sample has its own namespaces, and a single one may be all that is asked for.
  const bool own = sample_.complete() || all <= 1;
  std::vector<Item> items;
  items.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& name = forms[order[i]].own_namespace();
    items.push_back({order[i], own ? name : NamespaceFor(name, i * namespaces / order.size())});
  }
  // The order of etcd keys, NAMESPACE/NAME, in which servers list.
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.namespace_ + '/' < b.namespace_ + '/';
  });
  return items;
}

std::unique_ptr<ResponseStream> SizeReplay::Handle(HttpRequest request) {
  const std::string_view accept = request.headers.Get("Accept");
  const bool metadata = accept.find("as=PartialObjectMetadata") != std::string_view::npos;
  const bool protobuf = accept.find("protobuf") != std::string_view::npos &&
                        (metadata || type_.encoding() == internal::Encoding::kProtobuf);
  const bool watch = request.target.find("watch=") != std::string::npos;
  if (request.target.starts_with("/version")) {
    return std::make_unique<internal::transport::WholeBody>(200, ContentType("application/json"),
                                                            R"({"gitVersion":"v0"})");
  }
  if (metadata && !protobuf) {
    return std::make_unique<internal::transport::WholeBody>(406, ContentType("application/json"),
                                                            "{}");
  }
  ObjectForm form = protobuf ? ObjectForm::kProtobuf : ObjectForm::kJson;
  if (metadata) form = ObjectForm::kMetadata;
  const SizeFrames frames(type_, form);
  const bool initial = request.target.find("sendInitialEvents=true") != std::string::npos;
  if (watch && !initial) return frames.QuietWatch();
  return std::make_unique<Stream>(*this, frames, form, watch);
}

}  // namespace kinformer::cli
