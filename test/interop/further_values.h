// Values as in public_values.h, of types that need the whole library.

#ifndef KINFORMER_TEST_INTEROP_FURTHER_VALUES_H_
#define KINFORMER_TEST_INTEROP_FURTHER_VALUES_H_

#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/client/config.h"
#include "kinformer/client/patch.h"
#include "kinformer/controller/causes.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/json/json_view.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/object.h"
#include "kinformer/object/object_from_json.h"
#include "kinformer/object/projection.h"
#include "kinformer/object/shard_selector.h"
#include "kinformer/object/unstructured.h"
#include "kinformer/testing/action.h"
#include "kinformer/testing/fake_recorder.h"

#include "interop/public_values.h"

namespace kinformer::testing {

struct Widget {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  int size = 0;
};
using Widgets = CustomResource<Widget>;

inline Ref<corev1::Pod> ExamplePod() {
  return ObjectFromJson(corev1::Pod::kind_info(),
                        R"({"metadata": {"name": "web-0", "namespace": "default",
                            "labels": {"app": "web"},
                            "ownerReferences": [{"kind": "ReplicaSet", "name": "web"}]},
                            "spec": {"nodeName": "node-7"}})")
      .OrExit()
      .As<corev1::Pod>();
}

inline Ref<Widgets> ExampleWidget() {
  return ObjectFromJson(Widgets::kind_info(),
                        R"({"metadata": {"name": "blue", "namespace": "default"}, "size": 7})")
      .OrExit()
      .As<Widgets>();
}

template <class Format>
std::vector<TextRow> RowsOfFurtherValues(const Format& format) {
  const Ref<corev1::Pod> pod = ExamplePod();
  const Ref<Widgets> widget = ExampleWidget();
  CustomObject<Widget> to_write;
  to_write.size = 7;
  corev1::PodMutable pod_to_write;
  pod_to_write.metadata.name = "web-0";
  const Cause cause{.type = CauseType::kUpdated, .kind = "Pod", .object = {"default", "web-0"}};
  const SpanContext span =
      SpanContext::Of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").value();
  return {
      {"Pod", format(*pod), "Pod default/web-0"},
      {"Ref", format(pod), "Pod default/web-0"},
      {"Ref", format(Ref<corev1::Pod>()), "<none>"},
      {"Object", format(Object(pod.object().get())), "Pod default/web-0"},
      {"Unstructured", format(Unstructured(widget.object().get())), "Widget default/blue"},
      {"Widgets", format(*widget), "Widget default/blue"},
      {"PodSpec", format(pod->spec()), pod->spec().ToJson()},
      {"ObjectMeta", format(pod->metadata()), "default/web-0"},
      {"OwnerReference", format(pod->metadata().ownerReferences()[0]), "ReplicaSet/web"},
      {"PodMutable", format(pod_to_write), ToJson(pod_to_write)},
      {"CustomObject", format(to_write), EncodeJson(to_write)},
      {"Value", format(json::Value::MakeArray({1, "a"})), R"([1,"a"])"},
      {"View", format(widget->root()["size"]), "7"},
      {"Type", format(json::Type::kArray), "array"},
      {"RawExtension", format(runtime::RawExtension()), ""},
      {"LabelSelector", format(LabelSelector::Parse("b, a=x").OrExit()), "a=x,b"},
      {"FieldSelector", format(FieldSelector::Parse("spec.nodeName=n").OrExit()),
       "spec.nodeName=n"},
      {"ShardSelector", format(ShardSelector()), ""},
      {"Projection", format(Projection::Keep({"spec.nodeName"}).OrExit()), "keep spec.nodeName"},
      {"PatchType", format(PatchType::kMergePatch), "application/merge-patch+json"},
      {"Config", format(Config()), Config().ToString()},
      {"InformerState", format(InformerState::kBackingOff), "backing off"},
      {"CauseType", format(CauseType::kInitialList), "initial list"},
      {"Cause", format(cause), "updated Pod default/web-0"},
      {"Causes", format(Causes{.list = {cause, cause}}),
       "updated Pod default/web-0; updated Pod default/web-0"},
      {"OperationResult", format(controllerutil::OperationResult::kUpdatedStatus), "updatedStatus"},
      {"SpanContext", format(span), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
      {"Action",
       format(Action{.verb = "get",
                     .resource = {"", "v1", "pods"},
                     .namespace_ = "default",
                     .name = "web-0"}),
       "get pods default/web-0"},
      {"RecordedEvent",
       format(RecordedEvent{.type = "Normal",
                            .reason = "Printed",
                            .message = "two pages",
                            .kind = "Pod",
                            .object = {"default", "web-0"}}),
       "Normal Printed two pages (Pod default/web-0)"},
  };
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEROP_FURTHER_VALUES_H_
