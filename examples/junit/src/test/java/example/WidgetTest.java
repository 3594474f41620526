package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import kinformer.ApiServer;
import kinformer.KinformerExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WidgetTest {
  @RegisterExtension
  static final KinformerExtension KINFORMER = new KinformerExtension(
      "--simulate-workloads", "--load", "src/test/resources/widgets.yaml");

  static KubernetesClient client;

  @BeforeAll
  static void connect(ApiServer server) {
    client = new KubernetesClientBuilder()
        .withConfig(Config.fromKubeconfig(server.kubeconfig().toFile())).build();
  }

  @AfterAll
  static void disconnect() {
    client.close();
  }

  private static GenericKubernetesResource widget(String name, int size) {
    GenericKubernetesResource made = new GenericKubernetesResource();
    made.setApiVersion("example.com/v1");
    made.setKind("Widget");
    made.setMetadata(new ConfigMapBuilder().withNewMetadata().withName(name).endMetadata().build()
        .getMetadata());
    made.setAdditionalProperty("spec", Map.of("size", size));
    return made;
  }

  @Test
  void schemaOfTheDefinitionHolds(ApiServer server) {
    String namespace = server.createNamespace();
    client.resource(widget("one", 3)).inNamespace(namespace).create();
    KubernetesClientException refused = assertThrows(KubernetesClientException.class,
        () -> client.resource(widget("big", 11)).inNamespace(namespace).create());
    assertEquals(422, refused.getCode());
    assertTrue(refused.getMessage().contains("less than or equal to 10"), refused.getMessage());
  }

  @RepeatedTest(2)
  void eachTestBeginsWithThePreparedState() {
    ConfigMap map = new ConfigMapBuilder().withNewMetadata().withName("left").endMetadata().build();
    assertNull(client.configMaps().inNamespace("default").withName("left").get());
    client.configMaps().inNamespace("default").resource(map).create();
  }

  @Test
  void simulatedDeploymentBecomesReady(ApiServer server) {
    String namespace = server.createNamespace();
    Map<String, String> labels = Map.of("app", "web");
    client.resource(new DeploymentBuilder()
        .withNewMetadata().withName("web").endMetadata()
        .withNewSpec().withReplicas(2)
        .withNewSelector().withMatchLabels(labels).endSelector()
        .withNewTemplate()
        .withNewMetadata().withLabels(labels).endMetadata()
        .withNewSpec().addNewContainer().withName("c").withImage("i").endContainer().endSpec()
        .endTemplate().endSpec().build()).inNamespace(namespace).create();
    client.apps().deployments().inNamespace(namespace).withName("web")
        .waitUntilCondition(deployment -> deployment != null && deployment.getStatus() != null
            && Integer.valueOf(2).equals(deployment.getStatus().getReadyReplicas()),
            30, TimeUnit.SECONDS);
  }

  @Test
  void closedServerLeavesNothingBehind() {
    ApiServer other = ApiServer.start();
    assertTrue(Files.exists(other.kubeconfig()));
    other.close();
    assertFalse(Files.exists(other.kubeconfig().getParent()));
    assertFalse(ProcessHandle.of(other.pid()).map(ProcessHandle::isAlive).orElse(false));
  }

  @Test
  void wrongOptionFailsInTheWordsOfTheServer() {
    IllegalStateException failure = assertThrows(IllegalStateException.class,
        () -> ApiServer.start("--no-such-option"));
    assertTrue(failure.getMessage().contains("--no-such-option"), failure.getMessage());
  }
}
