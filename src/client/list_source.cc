#include "client/list_source.h"

#include "kinformer/internal/block_builder.h"
#include "kinformer/json/json.h"

#include "base/core/user_call.h"

namespace kinformer::internal::client {

const KindInfo& ListSource::TypeFor(std::string_view object_json) {
  if (type->kind.empty() && type->message == nullptr) {
    if (const Result<json::Value> object = json::Parse(object_json)) {
      const std::string& kind = (*object)["kind"].StringOrEmpty();
      const bool namespaced = !(*object)["metadata"]["namespace"].StringOrEmpty().empty();
      if (!kind.empty()) {
        type = DynamicKindInfo(type->group, type->version, kind, type->resource, namespaced);
      }
    }
  }
  return *type;
}

bool ListSource::Expects(std::string_view kind) const {
  return kind.empty() || kind == type->kind || type->kind.empty() ||
         (metadata_only && kind == "PartialObjectMetadata");
}

bool ListSource::Identify(ObjectHead& head) const {
  if (!IsName(head.name)) return false;
  if (head.namespace_.empty()) head.namespace_ = namespace_;
  const bool namespaced = type->namespaced || type->kind.empty();
  return head.namespace_.empty() ? !namespaced : IsName(head.namespace_);
}

Result<ObjectRef> ListSource::Build(Encoding encoding, std::string_view bytes,
                                    const wire::JsonBitmap* bitmap) {
  Result<ObjectRef> built =
      encoding == Encoding::kJson
          ? BuildFromJson(TypeFor(bytes), bytes, BuildOptionsOf(entry), bitmap)
          : BuildProtobuf(bytes);
  if (!built) base::ReportCarried(engine->env(), built.error());
  if (built && ((*built)->name().empty() || !IsText((*built)->name()))) {
    return Error(Reason::kDecode, "metadata.name: it is empty, or no UTF-8");
  }
  return built;
}

Result<ObjectRef> ListSource::BuildProtobuf(std::string_view bytes) const {
  if (type->encoding() != Encoding::kProtobuf) {
    return Error(Reason::kDecode, "an object in protobuf where JSON was asked for");
  }
  const BuildOptions options = BuildOptionsOf(entry);
  if (!metadata_only) return BuildFromProtobuf(*type, bytes, options);
  // A server that cannot reduce objects to metadata sends whole objects.
  return BuildFromProtobuf(*type, OnlyMetadata(bytes), options);
}

}  // namespace kinformer::internal::client
