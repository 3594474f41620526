#include "fuzz/target.h"

#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "kinformer/object/kind_info.h"

#include "api/apiextensionsv1_descriptors.h"
#include "api/appsv1_descriptors.h"
#include "api/authenticationv1_descriptors.h"
#include "api/autoscalingv2_descriptors.h"
#include "api/coordinationv1_descriptors.h"
#include "api/corev1_descriptors.h"
#include "api/flowcontrolv1_descriptors.h"
#include "api/resourcev1_descriptors.h"
#include "fuzz/targets.h"
#include "wire/json_text.h"

namespace kinformer::fuzz {

namespace {

constexpr Target kTargets[] = {
    {"admission_answer", &FuzzAdmissionAnswer},
    {"api_request", &FuzzApiRequest},
    {"api_sequence", &FuzzApiSequence},
    {"block_json", &FuzzBlockJson},
    {"block_protobuf", &FuzzBlockProtobuf},
    {"cel", &FuzzCel},
    {"continue_token", &FuzzContinueToken},
    {"conversion_answer", &FuzzConversionAnswer},
    {"credential_plugin", &FuzzCredentialPlugin},
    {"discovery", &FuzzDiscovery},
    {"dynamic_object", &FuzzDynamicObject},
    {"envelope", &FuzzEnvelope},
    {"fault_rule", &FuzzFaultRule},
    {"field_selector", &FuzzFieldSelector},
    {"http_head", &FuzzHttpHead},
    {"informer", &FuzzInformer},
    {"json", &FuzzJson},
    {"json_to_protobuf", &FuzzJsonToProtobuf},
    {"jsonpath", &FuzzJsonPath},
    {"jwt", &FuzzJwt},
    {"kubeconfig", &FuzzKubeconfig},
    {"label_selector", &FuzzLabelSelector},
    {"list_json", &FuzzListJson},
    {"list_options", &FuzzListOptions},
    {"list_protobuf", &FuzzListProtobuf},
    {"mutable", &FuzzMutable},
    {"patch", &FuzzPatch},
    {"patch_depth", &FuzzPatchDepth},
    {"projection", &FuzzProjection},
    {"protobuf_reader", &FuzzProtobufReader},
    {"protobuf_to_json", &FuzzProtobufToJson},
    {"quantity", &FuzzQuantity},
    {"recording", &FuzzRecording},
    {"schema", &FuzzSchema},
    {"status_body", &FuzzStatusBody},
    {"text_forms", &FuzzTextForms},
    {"url", &FuzzUrl},
    {"watch_json", &FuzzWatchJson},
    {"watch_protobuf", &FuzzWatchProtobuf},
    {"webhook_server", &FuzzWebhookServer},
    {"websocket_frames", &FuzzWebSocketFrames},
    {"yaml", &FuzzYaml},
    {"yaml_aliases", &FuzzYamlAliases},
};

// The corpora refer to them by position, so new ones go to the end.
constexpr const KindInfo* kTypes[] = {
    &internal::types::corev1::kPod,
    &internal::types::corev1::kSecret,
    &internal::types::corev1::kService,
    &internal::types::appsv1::kDeployment,
    &internal::types::apiextensionsv1::kCustomResourceDefinition,
    &internal::types::authenticationv1::kTokenReview,
    &internal::types::resourcev1::kResourceSlice,
    &internal::types::coordinationv1::kLease,
    &internal::types::appsv1::kControllerRevision,
    &internal::types::autoscalingv2::kHorizontalPodAutoscaler,
    &internal::types::flowcontrolv1::kFlowSchema,
    &internal::types::corev1::kConfigMap,
};

void Show(const char* label, std::string_view text) {
  static_cast<void>(std::fprintf(stderr, "  %s (%zu bytes): ", label, text.size()));
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fputc('\n', stderr));
}

}  // namespace

std::span<const Target> AllTargets() { return kTargets; }

const Target* FindTarget(std::string_view name) {
  for (const Target& target : kTargets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

void Require(bool holds, std::string_view what, std::string_view one, std::string_view other) {
  if (holds) return;
  static_cast<void>(
      std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data()));
  if (!one.empty() || !other.empty()) {
    Show("one", one);
    Show("other", other);
  }
  std::abort();
}

void RequireEqual(std::string_view one, std::string_view other, std::string_view what) {
  Require(one == other, what, one, other);
}

std::uint8_t Choices::Byte() {
  if (rest_.empty()) return 0;
  const auto last = static_cast<std::uint8_t>(rest_.back());
  rest_.remove_suffix(1);
  return last;
}

bool IsUtf8(std::string_view text) { return json::FirstInvalidUtf8(text) == text.size(); }

std::size_t PieceSizes::Next() {
  state_ = state_ * 1664525U + 1013904223U;
  const std::uint32_t random = state_ >> 16U;
  // Mostly short, because bugs are likely at the borders of pieces.
  return 1 + (random % 4 != 0 ? (random >> 2U) % 8 : (random >> 2U) % 256);
}

const KindInfo& PickType(std::uint8_t choice) { return *kTypes[choice % std::size(kTypes)]; }

}  // namespace kinformer::fuzz
