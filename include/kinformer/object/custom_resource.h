// kinformer/object/custom_resource.h
//
// CustomResource<T>: objects of a kind for which the program has a struct. It makes informers,
// listers and clients of custom resources as typed as those of built-in kinds.
//
//   struct Widget {
//     static constexpr kinformer::CustomKind kKind{.group = "example.com", .version = "v1"};
//     WidgetSpec spec{};                     // fields.h says what such structs look like
//     std::optional<WidgetStatus> status{};
//   };
//   using Widgets = kinformer::CustomResource<Widget>;
//
//   auto informer = factory.InformerFor<Widgets>();
//   Ref<Widgets> view = informer.lister().Namespace("default").Get("blue").OrExit();
//   std::cout << view->metadata().name() << " has size " << view->value().spec.size << '\n';
//   Widgets::Mutable change = view->DeepCopy();
//   change.spec.size = 3;
//   client.For<Widgets>("default").Update(change).OrExit();
//
// The struct does not declare kind, apiVersion and metadata: CustomResource adds them.
//
// The struct is decoded once, when the object arrives, and stored in the object's block: reading it
// costs nothing. An object that does not fit the struct is unreadable to informers (Lister::Get
// returns kUnreadable, the log names the member), and an error, kDecode, to clients. The block also
// keeps the object's JSON, for members that the struct does not declare.

#ifndef KINFORMER_OBJECT_CUSTOM_RESOURCE_H_
#define KINFORMER_OBJECT_CUSTOM_RESOURCE_H_

#include <concepts>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/api/structs/metav1.h"
#include "kinformer/internal/kind_of_struct.h"
#include "kinformer/internal/mutable_codec.h"
#include "kinformer/internal/struct_in_block.h"
#include "kinformer/object/custom_kind.h"
#include "kinformer/object/fields.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {

// Matches structs that say which resource they are.
template <class T>
concept NamesItsKind = std::same_as<decltype(T::kKind), const CustomKind>;

template <class T>
class CustomResource;

// An object to build, or to copy, change and send: the user's struct, plus the metadata. A value;
// thread-compatible.
template <class T>
struct CustomObject : T {
  using View = CustomResource<T>;  // reads objects of the same kind
  metav1::ObjectMetaMutable metadata{};
  // True if the object was copied without members that T does not declare (an UnknownFields would
  // keep them) or that a projection cut. Update refuses it: the server would delete these members.
  bool is_partial = false;

  // Compares content and metadata, as they would be written.
  friend bool operator==(const CustomObject& a, const CustomObject& b) {
    return a.metadata == b.metadata &&
           FieldsEqual(static_cast<const T&>(a), static_cast<const T&>(b));
  }
};

// View of an immutable object, of 8 bytes; valid as long as its object. Thread-compatible.
template <class T>
class CustomResource : public Unstructured {
  static_assert(NamesItsKind<T>,
                "CustomResource<T>: T must say which resource it is: static constexpr "
                "kinformer::CustomKind kKind{.group = \"example.com\", .version = \"v1\"}");
  static_assert(StructWithFields<T>,
                "CustomResource<T>: T must be a plain struct, without constructors and private "
                "members, or name its members: static constexpr auto kFields = "
                "std::tuple(kinformer::Field(\"spec\", &T::spec), ...)");

 public:
  using Mutable = CustomObject<T>;
  using Unstructured::Unstructured;

  static const KindInfo& kind_info() {
    static constexpr KindInfo kType{.group = internal::kKindOf<T>.group,
                                    .version = internal::kKindOf<T>.version,
                                    .kind = internal::kKindOf<T>.kind,
                                    .resource = internal::kKindOf<T>.plural,
                                    .singular = {},
                                    .namespaced = internal::kKindOf<T>.namespaced,
                                    .message = nullptr,
                                    .structure = &internal::kStructInfo<T>};
    return kType;
  }

  // Returns the struct, decoded on arrival. Costs nothing; valid as long as the object.
  [[nodiscard]] const T& value() const { return InBlock().value; }

  // Returns a copy to change and send.
  [[nodiscard]] Mutable DeepCopy() const {
    const internal::StructInBlock<T>& in_block = InBlock();
    Mutable out{in_block.value};
    internal::DecodeMutableLeniently(metav1::ObjectMetaMutable::mutable_table(),
                                     block()->metadata_bytes(), &out.metadata);
    out.is_partial = in_block.head.dropped != 0 || block()->partial();
    return out;
  }

 private:
  [[nodiscard]] const internal::StructInBlock<T>& InBlock() const {
    const internal::Block* const object = block();
    const internal::StructInfo::Head* const head =
        object->type().structure == &internal::kStructInfo<T> ? object->structure() : nullptr;
    if (head == nullptr) internal::FailWithoutStruct(object, kind_info());
    return *std::launder(reinterpret_cast<const internal::StructInBlock<T>*>(head));
  }
};

// Returns the whole object: apiVersion, kind, metadata, then T's members.
template <class T>
json::Value ToValue(const CustomObject<T>& object) {
  json::Value out = json::Value::MakeObject();
  out.Set("apiVersion", CustomResource<T>::kind_info().apiVersion());
  out.Set("kind", CustomResource<T>::kind_info().kind);
  out.Set("metadata", json::Parse(internal::EncodeJson(object.metadata)).value_or(json::Value()));
  json::Value rest;
  internal::EncodeField(static_cast<const T&>(object), rest);
  for (const auto& [name, value] : rest.members()) out.Set(name, value);
  return out;
}

// ---- For ResourceClient: custom resources are sent as JSON.

// Returns an empty string: custom resources have no protobuf form.
template <class T>
std::string EncodeProtobuf(const CustomObject<T>&) {
  return {};
}

// Returns the object as JSON, with kind and apiVersion.
template <class T>
std::string EncodeJson(const CustomObject<T>& object) {
  return ToValue(object).Dump();
}

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_CUSTOM_RESOURCE_H_
