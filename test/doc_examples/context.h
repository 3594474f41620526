// Declarations assumed by the examples of documents and headers. Compiled, never linked.

#ifndef KINFORMER_TEST_DOC_EXAMPLES_CONTEXT_H_
#define KINFORMER_TEST_DOC_EXAMPLES_CONTEXT_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <gmock/gmock.h>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <sys/epoll.h>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/autoscalingv1.h"
#include "kinformer/api/autoscalingv2.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/applyconfig/appsv1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/stop.h"
#include "kinformer/base/tracing.h"
#include "kinformer/base/wait.h"
#include "kinformer/cache/event_reader.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/retry.h"
#include "kinformer/client/transport.h"
#include "kinformer/clientset/appsv1.h"
#include "kinformer/clientset/corev1.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/cached_resource_client.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/event_channel.h"
#include "kinformer/controller/finalizers.h"
#include "kinformer/controller/meta.h"
#include "kinformer/endpoints/endpoint_server.h"
#include "kinformer/endpoints/healthz.h"
#include "kinformer/endpoints/metrics_server.h"
#include "kinformer/events/event_recorder.h"
#include "kinformer/events/events.h"
#include "kinformer/json/json.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/unstructured.h"
#include "kinformer/otlp/otlp_tracer.h"
#include "kinformer/sinks/snapshot_feed.h"
#include "kinformer/sinks/sqlite_sink.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/testing/environment.h"
#include "kinformer/testing/eventually.h"
#include "kinformer/testing/fake.h"
#include "kinformer/testing/fake_recorder.h"
#include "kinformer/testing/matchers.h"
#include "kinformer/testing/polling.h"
#include "kinformer/workqueue/priority_queue.h"
#include "kinformer/workqueue/rate_limiting_queue.h"

// Replaces GoogleTest's macro, which returns from the function: an example may be a coroutine.
#undef ASSERT_TRUE
#define ASSERT_TRUE(condition) static_cast<void>(condition)

namespace documents {

using namespace kinformer;             // NOLINT(google-build-using-namespace)
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
namespace corev1 = kinformer::corev1;
namespace appsv1 = kinformer::appsv1;

extern Env& env;
extern Config config;
extern StopSource stop;
extern Client client;
extern RestMapping mapping;
extern apiserver::ApiServer server;
extern apiserver::ApiServer api_server;
extern std::shared_ptr<Transport> transport_to_the_cluster;

extern SharedInformerFactory factory;
extern SharedInformer<corev1::Pod> informer;
extern SharedInformer<corev1::Pod> pods;
extern SharedInformer<Unstructured> widgets;
extern Lister<corev1::Pod> lister;
extern LabelSelector selector;

extern corev1::Pod pod;
extern Unstructured object;
extern json::Value before;
extern json::Value after;
extern std::string text;
extern std::string path;
extern std::string token;
extern std::string manifest;
extern std::string manifests;

extern std::unique_ptr<Manager> manager;
extern std::shared_ptr<Controller> controller;

bool HasFailure();  // like GoogleTest's, of ::testing::Test
Result<void> Reconcile(const ObjectName& key);
Result<ReconcileResult> ReconcilePod(const ReconcileContext& context, const Request& request);
std::vector<Request> UsersOf(const corev1::Secret& secret);
void Use(const Config& config);

}  // namespace documents

#endif  // KINFORMER_TEST_DOC_EXAMPLES_CONTEXT_H_
