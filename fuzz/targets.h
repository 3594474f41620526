// fuzz/targets.h
//
// The targets, each beside its kin in a file.

#ifndef KINFORMER_FUZZ_TARGETS_H_
#define KINFORMER_FUZZ_TARGETS_H_

#include <string_view>

namespace kinformer::fuzz {

void FuzzAdmissionAnswer(std::string_view input);   // webhook_target.cc
void FuzzApiRequest(std::string_view input);        // apiserver_target.cc
void FuzzApiSequence(std::string_view input);       // api_sequence_target.cc
void FuzzBlockJson(std::string_view input);         // block_target.cc
void FuzzBlockProtobuf(std::string_view input);     // block_target.cc
void FuzzCel(std::string_view input);               // cel_target.cc
void FuzzContinueToken(std::string_view input);     // apiserver_target.cc
void FuzzConversionAnswer(std::string_view input);  // webhook_target.cc
void FuzzCredentialPlugin(std::string_view input);  // credential_target.cc
void FuzzDiscovery(std::string_view input);         // discovery_target.cc
void FuzzDynamicObject(std::string_view input);     // block_target.cc
void FuzzEnvelope(std::string_view input);          // wire_target.cc
void FuzzFaultRule(std::string_view input);         // apiserver_target.cc
void FuzzFieldSelector(std::string_view input);     // selector_target.cc
void FuzzHttpHead(std::string_view input);          // http_target.cc
void FuzzInformer(std::string_view input);          // informer_target.cc
void FuzzJson(std::string_view input);              // json_target.cc
void FuzzJsonPath(std::string_view input);          // jsonpath_target.cc
void FuzzJsonToProtobuf(std::string_view input);    // transcode_target.cc
void FuzzJwt(std::string_view input);               // credential_target.cc
void FuzzKubeconfig(std::string_view input);        // config_target.cc
void FuzzLabelSelector(std::string_view input);     // selector_target.cc
void FuzzListJson(std::string_view input);          // splitter_target.cc
void FuzzListOptions(std::string_view input);       // apiserver_target.cc
void FuzzListProtobuf(std::string_view input);      // splitter_target.cc
void FuzzMutable(std::string_view input);           // mutable_target.cc
void FuzzPatch(std::string_view input);             // apiserver_target.cc
void FuzzPatchDepth(std::string_view input);        // apiserver_target.cc
void FuzzProjection(std::string_view input);        // projection_target.cc
void FuzzProtobufReader(std::string_view input);    // wire_target.cc
void FuzzProtobufToJson(std::string_view input);    // transcode_target.cc
void FuzzQuantity(std::string_view input);          // quantity_target.cc
void FuzzRecording(std::string_view input);         // apiserver_target.cc
void FuzzSchema(std::string_view input);            // schema_target.cc
void FuzzStatusBody(std::string_view input);        // status_target.cc
void FuzzTextForms(std::string_view input);         // text_forms_target.cc
void FuzzUrl(std::string_view input);               // credential_target.cc
void FuzzWatchJson(std::string_view input);         // splitter_target.cc
void FuzzWatchProtobuf(std::string_view input);     // splitter_target.cc
void FuzzWebSocketFrames(std::string_view input);   // websocket_target.cc
void FuzzWebhookServer(std::string_view input);     // webhook_target.cc
void FuzzYaml(std::string_view input);              // yaml_target.cc
void FuzzYamlAliases(std::string_view input);       // yaml_target.cc

}  // namespace kinformer::fuzz

#endif  // KINFORMER_FUZZ_TARGETS_H_
