import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetStatusBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.File;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Does with the fabric8 client what programs do with an API server; see ../README.md. */
public final class Client {
  private interface Action {
    void run() throws Exception;
  }

  private static final String NAMESPACE = "fabric8-" + System.nanoTime();
  private static final int PATIENCE = 30;
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static KubernetesClient client;

  private static void check(boolean ok, String what) {
    if (!ok) throw new IllegalStateException(what);
  }

  private static void refused(int code, Action action) throws Exception {
    try {
      action.run();
    } catch (KubernetesClientException error) {
      check(error.getCode() == code, error.getCode() + ", not " + code + ": " + error.getMessage());
      return;
    }
    throw new IllegalStateException("not refused with " + code);
  }

  private static void expect(BlockingQueue<String> seen, String want) throws InterruptedException {
    String have = seen.poll(PATIENCE, TimeUnit.SECONDS);
    check(want.equals(have), have + ", not " + want);
  }

  private static ConfigMap configMap(String name, String value, String version) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace(NAMESPACE)
        .addToLabels("app", name).withResourceVersion(version).endMetadata()
        .addToData("key", value).build();
  }

  private static Resource<ConfigMap> map(String name) {
    return client.configMaps().inNamespace(NAMESPACE).withName(name);
  }

  private static ConfigMap create(String name) {
    return client.resource(configMap(name, "1", null)).create();
  }

  private static ConfigMap set(String name, String key, String value) {
    return map(name).patch(MERGE, "{\"data\":{\"" + key + "\":\"" + value + "\"}}");
  }

  private static void crud() throws Exception {
    ConfigMap created = create("crud");
    refused(409, () -> create("crud"));
    ConfigMap changed = configMap("crud", "2", created.getMetadata().getResourceVersion());
    check(client.resource(changed).update().getData().get("key").equals("2"), "update");
    refused(409, () -> client.resource(changed).lockResourceVersion().update());
    check(set("crud", "more", "3").getData().size() == 2, "patch");
    List<ConfigMap> list =
        client.configMaps().inNamespace(NAMESPACE).withLabel("app", "crud").list().getItems();
    check(list.size() == 1, "list by label");
    map("crud").delete();
    check(map("crud").get() == null, "deleted, but there");
  }

  private static void watch() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (var watch = client.configMaps().inNamespace(NAMESPACE).withLabel("app", "watched")
        .watch(new Watcher<ConfigMap>() {
          @Override
          public void eventReceived(Action action, ConfigMap map) {
            seen.add(action.name());
          }

          @Override
          public void onClose(WatcherException cause) {
            seen.add("closed: " + cause);
          }
        })) {
      create("watched");
      set("watched", "key", "2");
      map("watched").delete();
      for (String want : List.of("ADDED", "MODIFIED", "DELETED")) expect(seen, want);
    }
  }

  private static void informer() throws Exception {
    create("before");
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (SharedIndexInformer<ConfigMap> maps = client.configMaps().inNamespace(NAMESPACE)
        .withLabelIn("app", "before", "after").inform(new ResourceEventHandler<ConfigMap>() {
          @Override
          public void onAdd(ConfigMap map) {
            seen.add("added " + map.getMetadata().getName());
          }

          @Override
          public void onUpdate(ConfigMap old, ConfigMap map) {
            seen.add("updated " + map.getMetadata().getName());
          }

          @Override
          public void onDelete(ConfigMap map, boolean unknown) {
            seen.add("deleted " + map.getMetadata().getName());
          }
        })) {
      expect(seen, "added before");
      create("after");
      expect(seen, "added after");
      set("after", "key", "2");
      expect(seen, "updated after");
      map("before").delete();
      expect(seen, "deleted before");
      List<ConfigMap> cached = maps.getStore().list();
      check(cached.size() == 1 && cached.get(0).getData().get("key").equals("2"), "the cache");
    }
  }

  private static void apply() {
    for (String value : List.of("1", "2")) {
      ConfigMap applied = client.resource(new ConfigMapBuilder().withNewMetadata()
          .withName("applied").withNamespace(NAMESPACE).endMetadata()
          .addToData("key", value).build()).forceConflicts().serverSideApply();
      check(applied.getData().get("key").equals(value), "applied " + value);
    }
  }

  /** Creates a pod, and does what a scheduler and a kubelet do, since there is neither. */
  private static Pod newPod(String name) {
    client.resource(new PodBuilder().withNewMetadata().withName(name).withNamespace(NAMESPACE)
        .addToLabels("app", name).endMetadata().withNewSpec().addNewContainer().withName("main")
        .withImage("example.com/main:1").endContainer().endSpec().build()).create();
    client.bindings().inNamespace(NAMESPACE).resource(new BindingBuilder()
        .withNewMetadata().withName(name).endMetadata()
        .withNewTarget().withKind("Node").withName("node-1").endTarget().build()).create();
    return client.pods().inNamespace(NAMESPACE).withName(name).editStatus(pod ->
        new PodBuilder(pod).editOrNewStatus().withPhase("Running").addToConditions(
            new PodConditionBuilder().withType("Ready").withStatus("True").build())
            .endStatus().build());
  }

  private static void pods() {
    Pod pod = newPod("web");
    check("node-1".equals(pod.getSpec().getNodeName()), "not bound");
    check("Running".equals(pod.getStatus().getPhase()), "phase " + pod.getStatus().getPhase());
    int running = client.pods().inNamespace(NAMESPACE).withField("status.phase", "Running").list()
        .getItems().size();
    check(running == 1, running + " are running");
    client.pods().inNamespace(NAMESPACE).withName("web").withGracePeriod(0).delete();
    check(client.pods().inNamespace(NAMESPACE).withName("web").get() == null, "deleted, but there");
  }

  private static void eviction() {
    newPod("free");
    check(client.pods().inNamespace(NAMESPACE).withName("free").evict(), "without a budget");
    newPod("kept");
    PodDisruptionBudget budget = client.resource(new PodDisruptionBudgetBuilder()
        .withNewMetadata().withName("budget").withNamespace(NAMESPACE).endMetadata()
        .withNewSpec().withMinAvailable(new IntOrString(1)).withNewSelector()
        .addToMatchLabels("app", "kept").endSelector().endSpec().build()).create();
    // The disruption controller's part.
    budget.setStatus(new PodDisruptionBudgetStatusBuilder().withObservedGeneration(1L)
        .withCurrentHealthy(1).withDesiredHealthy(1).withExpectedPods(1).withDisruptionsAllowed(0)
        .build());
    client.resource(budget).updateStatus();
    check(!client.pods().inNamespace(NAMESPACE).withName("kept").evict(), "with a budget");
  }

  private static CompletableFuture<?> candidate(String identity, BlockingQueue<String> leads) {
    return client.leaderElector().withConfig(new LeaderElectionConfigBuilder()
        .withName("leader").withLock(new LeaseLock(
            new ObjectMetaBuilder().withName("leader").withNamespace(NAMESPACE).build(), identity))
        .withLeaseDuration(Duration.ofSeconds(3)).withRenewDeadline(Duration.ofSeconds(2))
        .withRetryPeriod(Duration.ofMillis(500)).withReleaseOnCancel(true)
        .withLeaderCallbacks(new LeaderCallbacks(() -> leads.add(identity), () -> {}, who -> {}))
        .build()).build().start();
  }

  private static void leader() throws Exception {
    BlockingQueue<String> leads = new LinkedBlockingQueue<>();
    CompletableFuture<?> first = candidate("first", leads);
    expect(leads, "first");
    CompletableFuture<?> second = candidate("second", leads);
    first.cancel(true);
    expect(leads, "second");
    second.cancel(true);
  }

  public static void main(String[] arguments) {
    Config config = Config.fromKubeconfig(new File(System.getenv("KUBECONFIG")));
    config.setHttp2Disable("HTTP/1.1".equals(System.getenv("PROTOCOL")));
    config.setRequestRetryBackoffLimit(0);  // a refused eviction is not tried again
    client = new KubernetesClientBuilder().withConfig(config).build();
    client.resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata()
        .build()).create();
    Map<String, Action> scenarios = new LinkedHashMap<>();
    scenarios.put("crud", Client::crud);
    scenarios.put("watch", Client::watch);
    scenarios.put("informer", Client::informer);
    scenarios.put("apply", Client::apply);
    scenarios.put("pods", Client::pods);
    scenarios.put("eviction", Client::eviction);
    scenarios.put("leader", Client::leader);
    boolean failed = false;
    for (var scenario : scenarios.entrySet()) {
      try {
        scenario.getValue().run();
        System.out.println("ok   " + scenario.getKey());
      } catch (Exception error) {
        failed = true;
        System.out.println("FAIL " + scenario.getKey() + ": " + error);
      }
    }
    client.namespaces().withName(NAMESPACE).delete();
    System.exit(failed ? 1 : 0);
  }
}
