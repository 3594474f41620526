import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.kubernetes.client.extended.leaderelection.LeaderElector;
import io.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.PolicyV1Api;
import io.kubernetes.client.openapi.models.V1Binding;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Eviction;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudgetSpec;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import com.google.gson.reflect.TypeToken;
import java.io.FileReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Protocol;

/** Does with the official Java client what programs do with an API server; see ../README.md. */
public final class Client {
  private interface Action {
    void run() throws Exception;
  }

  private static final String NAMESPACE = "java-" + System.nanoTime();
  private static final int PATIENCE = 30;
  private static ApiClient client;
  private static CoreV1Api core;

  private static void check(boolean ok, String what) {
    if (!ok) throw new IllegalStateException(what);
  }

  private static void refused(int code, Action action) throws Exception {
    try {
      action.run();
    } catch (ApiException error) {
      check(error.getCode() == code, error.getCode() + ", not " + code + ": " + error.getResponseBody());
      return;
    }
    throw new IllegalStateException("not refused with " + code);
  }

  private static void expect(BlockingQueue<String> seen, String want) throws InterruptedException {
    String have = seen.poll(PATIENCE, TimeUnit.SECONDS);
    check(want.equals(have), have + ", not " + want);
  }

  private static V1ObjectMeta named(String name) {
    return new V1ObjectMeta().name(name).putLabelsItem("app", name);
  }

  private static V1ConfigMap configMap(String name, String value) {
    return new V1ConfigMap().metadata(named(name)).data(Map.of("key", value));
  }

  private static V1ConfigMap set(String name, String key, String value) throws ApiException {
    V1Patch patch = new V1Patch("{\"data\":{\"" + key + "\":\"" + value + "\"}}");
    return PatchUtils.patch(V1ConfigMap.class,
        () -> core.patchNamespacedConfigMap(name, NAMESPACE, patch).buildCall(null),
        V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, client);
  }

  private static void crud() throws Exception {
    V1ConfigMap created = core.createNamespacedConfigMap(NAMESPACE, configMap("crud", "1")).execute();
    refused(409, () -> core.createNamespacedConfigMap(NAMESPACE, configMap("crud", "1")).execute());
    V1ConfigMap changed = configMap("crud", "2");
    changed.getMetadata().setResourceVersion(created.getMetadata().getResourceVersion());
    V1ConfigMap replaced = core.replaceNamespacedConfigMap("crud", NAMESPACE, changed).execute();
    check(replaced.getData().get("key").equals("2"), "replace");
    refused(409, () -> core.replaceNamespacedConfigMap("crud", NAMESPACE, changed).execute());
    check(set("crud", "more", "3").getData().size() == 2, "patch");
    V1ConfigMapList list = core.listNamespacedConfigMap(NAMESPACE).labelSelector("app=crud").execute();
    check(list.getItems().size() == 1, "list by label");
    core.deleteNamespacedConfigMap("crud", NAMESPACE).execute();
    refused(404, () -> core.readNamespacedConfigMap("crud", NAMESPACE).execute());
  }

  private static void watch() throws Exception {
    String start = core.listNamespacedConfigMap(NAMESPACE).execute().getMetadata().getResourceVersion();
    Call call = core.listNamespacedConfigMap(NAMESPACE).watch(true).resourceVersion(start)
        .labelSelector("app=watched").timeoutSeconds(PATIENCE).buildCall(null);
    List<String> events = new ArrayList<>();
    try (Watch<V1ConfigMap> watch = Watch.createWatch(client, call,
        new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType())) {
      core.createNamespacedConfigMap(NAMESPACE, configMap("watched", "1")).execute();
      set("watched", "key", "2");
      core.deleteNamespacedConfigMap("watched", NAMESPACE).execute();
      for (Watch.Response<V1ConfigMap> event : watch) {
        events.add(event.type);
        if (events.size() == 3) break;
      }
    }
    check(events.equals(List.of("ADDED", "MODIFIED", "DELETED")), "events " + events);
  }

  private static void informer() throws Exception {
    core.createNamespacedConfigMap(NAMESPACE, configMap("before", "1")).execute();
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    SharedInformerFactory factory = new SharedInformerFactory(client);
    SharedIndexInformer<V1ConfigMap> maps = factory.sharedIndexInformerFor(
        (CallGeneratorParams params) -> core.listNamespacedConfigMap(NAMESPACE)
            .labelSelector("app in (before,after)").resourceVersion(params.resourceVersion)
            .timeoutSeconds(params.timeoutSeconds).watch(params.watch).buildCall(null),
        V1ConfigMap.class, V1ConfigMapList.class);
    maps.addEventHandler(new ResourceEventHandler<V1ConfigMap>() {
      @Override
      public void onAdd(V1ConfigMap map) {
        seen.add("added " + map.getMetadata().getName());
      }

      @Override
      public void onUpdate(V1ConfigMap old, V1ConfigMap map) {
        seen.add("updated " + map.getMetadata().getName());
      }

      @Override
      public void onDelete(V1ConfigMap map, boolean unknown) {
        seen.add("deleted " + map.getMetadata().getName());
      }
    });
    factory.startAllRegisteredInformers();
    expect(seen, "added before");
    core.createNamespacedConfigMap(NAMESPACE, configMap("after", "1")).execute();
    expect(seen, "added after");
    set("after", "key", "2");
    expect(seen, "updated after");
    core.deleteNamespacedConfigMap("before", NAMESPACE).execute();
    expect(seen, "deleted before");
    List<V1ConfigMap> cached = maps.getIndexer().list();
    check(cached.size() == 1 && cached.get(0).getData().get("key").equals("2"), "the cache");
    factory.stopAllRegisteredInformers();
  }

  private static void apply() throws Exception {
    for (String value : List.of("1", "2")) {
      V1Patch wanted = new V1Patch("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":"
          + "{\"name\":\"applied\"},\"data\":{\"key\":\"" + value + "\"}}");
      V1ConfigMap applied = PatchUtils.patch(V1ConfigMap.class,
          () -> core.patchNamespacedConfigMap("applied", NAMESPACE, wanted)
              .fieldManager("client").force(true).buildCall(null),
          V1Patch.PATCH_FORMAT_APPLY_YAML, client);
      check(applied.getData().get("key").equals(value), "applied " + value);
    }
  }

  /** Creates a pod, and does what a scheduler and a kubelet do, since there is neither. */
  private static V1Pod newPod(String name) throws Exception {
    // Maps of this client begin empty and are sent so; a server refuses an overhead, even an empty
    // one, where no RuntimeClass sets it.
    V1PodSpec spec = new V1PodSpec().overhead(null)
        .addContainersItem(new V1Container().name("main").image("example.com/main:1"));
    core.createNamespacedPod(NAMESPACE, new V1Pod().metadata(named(name)).spec(spec)).execute();
    V1Binding binding = new V1Binding().metadata(named(name))
        .target(new V1ObjectReference().kind("Node").name("node-1"));
    // The answer is a Status, which execute() would take for a Binding.
    client.execute(core.createNamespacedPodBinding(name, NAMESPACE, binding).buildCall(null));
    V1Patch patch = new V1Patch("{\"status\":{\"phase\":\"Running\",\"conditions\":"
        + "[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
    return PatchUtils.patch(V1Pod.class,
        () -> core.patchNamespacedPodStatus(name, NAMESPACE, patch).buildCall(null),
        V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, client);
  }

  private static void pods() throws Exception {
    V1Pod pod = newPod("web");
    check("node-1".equals(pod.getSpec().getNodeName()), "not bound");
    check("Running".equals(pod.getStatus().getPhase()), "phase " + pod.getStatus().getPhase());
    int running = core.listNamespacedPod(NAMESPACE).fieldSelector("status.phase=Running").execute()
        .getItems().size();
    check(running == 1, running + " are running");
    core.deleteNamespacedPod("web", NAMESPACE).gracePeriodSeconds(0).execute();
    refused(404, () -> core.readNamespacedPod("web", NAMESPACE).execute());
  }

  private static void evict(String name) throws Exception {
    V1Eviction eviction = new V1Eviction().metadata(new V1ObjectMeta().name(name));
    client.execute(core.createNamespacedPodEviction(name, NAMESPACE, eviction).buildCall(null));
  }

  private static void eviction() throws Exception {
    newPod("free");
    evict("free");
    newPod("kept");
    PolicyV1Api policy = new PolicyV1Api(client);
    V1PodDisruptionBudgetSpec spec = new V1PodDisruptionBudgetSpec().minAvailable(new IntOrString(1))
        .selector(new V1LabelSelector().putMatchLabelsItem("app", "kept"));
    policy.createNamespacedPodDisruptionBudget(NAMESPACE,
        new V1PodDisruptionBudget().metadata(named("budget")).spec(spec)).execute();
    // The disruption controller's part.
    V1Patch status = new V1Patch("{\"status\":{\"observedGeneration\":1,\"currentHealthy\":1,"
        + "\"desiredHealthy\":1,\"expectedPods\":1,\"disruptionsAllowed\":0}}");
    PatchUtils.patch(V1PodDisruptionBudget.class,
        () -> policy.patchNamespacedPodDisruptionBudgetStatus("budget", NAMESPACE, status)
            .buildCall(null),
        V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, client);
    refused(429, () -> evict("kept"));
  }

  private static LeaderElector candidate(String identity, BlockingQueue<String> leads) {
    LeaderElector elector = new LeaderElector(new LeaderElectionConfig(
        new LeaseLock(NAMESPACE, "leader", identity, client),
        Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMillis(500)));
    Thread thread = new Thread(() -> elector.run(() -> leads.add(identity), () -> {}));
    thread.setDaemon(true);
    thread.start();
    return elector;
  }

  private static void leader() throws Exception {
    BlockingQueue<String> leads = new LinkedBlockingQueue<>();
    LeaderElector first = candidate("first", leads);
    expect(leads, "first");
    LeaderElector second = candidate("second", leads);
    first.close();
    expect(leads, "second");
    second.close();
  }

  public static void main(String[] arguments) throws Exception {
    String path = System.getenv("KUBECONFIG");
    KubeConfig config = KubeConfig.loadKubeConfig(new FileReader(path));
    config.setFile(new java.io.File(path));
    client = ClientBuilder.kubeconfig(config).build();
    var http = client.getHttpClient().newBuilder().readTimeout(Duration.ZERO);
    if ("HTTP/1.1".equals(System.getenv("PROTOCOL"))) http.protocols(List.of(Protocol.HTTP_1_1));
    http.addNetworkInterceptor(chain -> {
      String want = System.getenv("PROTOCOL");
      String have = chain.connection().protocol() == Protocol.HTTP_2 ? "HTTP/2.0" : "HTTP/1.1";
      if (want != null && !want.equals(have)) throw new java.io.IOException("spoken is " + have);
      return chain.proceed(chain.request());
    });
    client.setHttpClient(http.build());
    core = new CoreV1Api(client);
    core.createNamespace(new V1Namespace().metadata(named(NAMESPACE))).execute();
    boolean failed = false;
    Map<String, Action> scenarios = new java.util.LinkedHashMap<>();
    scenarios.put("crud", Client::crud);
    scenarios.put("watch", Client::watch);
    scenarios.put("informer", Client::informer);
    scenarios.put("apply", Client::apply);
    scenarios.put("pods", Client::pods);
    scenarios.put("eviction", Client::eviction);
    scenarios.put("leader", Client::leader);
    for (var scenario : scenarios.entrySet()) {
      try {
        scenario.getValue().run();
        System.out.println("ok   " + scenario.getKey());
      } catch (Exception error) {
        failed = true;
        System.out.println("FAIL " + scenario.getKey() + ": " + error);
      }
    }
    client.execute(core.deleteNamespace(NAMESPACE).buildCall(null));
    System.exit(failed ? 1 : 0);
  }
}
