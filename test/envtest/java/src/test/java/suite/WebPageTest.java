package suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubeapitest.junit.EnableKubeAPIServer;
import io.fabric8.kubeapitest.junit.KubeConfig;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.javaoperatorsdk.operator.Operator;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An operator of the Java Operator SDK under Fabric8's kube-api-test, which starts kube-apiserver
 * and etcd as envtest does.
 */
@EnableKubeAPIServer
class WebPageTest {
  @KubeConfig static String kubeconfig;

  static KubernetesClient client;

  final WebPageReconciler reconciler = new WebPageReconciler();
  Operator operator;

  @BeforeAll
  static void connect() {
    client = new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(kubeconfig)).build();
  }

  @AfterAll
  static void disconnect() {
    client.close();
  }

  @BeforeEach
  void startOperator() {
    Resource<CustomResourceDefinition> definition = client.apiextensions().v1()
        .customResourceDefinitions().load(getClass().getResourceAsStream("/webpages.yaml"));
    definition.serverSideApply();
    definition.waitUntilCondition(made -> made.getStatus() != null
        && made.getStatus().getConditions().stream()
            .anyMatch(c -> c.getType().equals("Established") && c.getStatus().equals("True")),
        30, TimeUnit.SECONDS);
    operator = new Operator(overrider -> overrider.withKubernetesClient(client)
        .withCloseClientOnStop(false));
    operator.register(reconciler);
    operator.start();
  }

  @AfterEach
  void stopOperator() {
    operator.stop();
  }

  private static WebPage page(String name, String html) {
    WebPage page = new WebPage();
    page.setMetadata(new ObjectMetaBuilder().withName(name).withNamespace("default").build());
    page.setSpec(new WebPage.Spec());
    page.getSpec().html = html;
    return page;
  }

  private static <T> T await(Resource<T> resource, Predicate<T> holds) {
    return resource.waitUntilCondition(holds, 30, TimeUnit.SECONDS);
  }

  private static Resource<ConfigMap> mapOf(String name) {
    return client.configMaps().inNamespace("default").withName(name);
  }

  private static boolean shows(ConfigMap map, String html) {
    return map != null && html.equals(map.getData().get("index.html"));
  }

  @Test
  void pageGetsItsConfigMapAndStatus() {
    client.resource(page("one", "hello")).create();
    ConfigMap map = await(mapOf("one"), found -> shows(found, "hello"));
    assertEquals("WebPage", map.getMetadata().getOwnerReferences().get(0).getKind());
    await(client.resource(page("one", "hello")), found -> found != null
        && found.getStatus() != null && "hello".equals(found.getStatus().shown));
    client.resource(page("one", "hello")).edit(found -> {
      found.getSpec().html = "changed";
      return found;
    });
    await(mapOf("one"), found -> shows(found, "changed"));
  }

  @Test
  void changeOfTheConfigMapIsUndone() {
    client.resource(page("two", "kept")).create();
    await(mapOf("two"), found -> shows(found, "kept"));
    mapOf("two").edit(found -> new ConfigMapBuilder(found).addToData("index.html", "other").build());
    await(mapOf("two"), found -> shows(found, "kept"));
  }

  @Test
  void deletedPageIsCleanedUp() {
    client.resource(page("three", "gone")).create();
    await(client.resource(page("three", "gone")),
        found -> found != null && !found.getMetadata().getFinalizers().isEmpty());
    client.resource(page("three", "gone")).delete();
    await(client.resource(page("three", "gone")), found -> found == null);
    assertEquals(1, reconciler.cleaned.get());
  }

  @Test
  void pageThatTheSchemaForbidsIsRefused() {
    KubernetesClientException refused = assertThrows(KubernetesClientException.class,
        () -> client.resource(page("four", "x".repeat(65))).create());
    assertEquals(422, refused.getCode());
    assertTrue(refused.getMessage().contains("spec.html: Too long: may not be more than 64 bytes"),
        refused.getMessage());
  }
}
