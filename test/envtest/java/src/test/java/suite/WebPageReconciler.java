package suite;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps a ConfigMap with each page, by server-side apply. */
@ControllerConfiguration
public class WebPageReconciler implements Reconciler<WebPage>, Cleaner<WebPage> {
  final AtomicInteger cleaned = new AtomicInteger();

  @Override
  public List<EventSource<?, WebPage>> prepareEventSources(EventSourceContext<WebPage> context) {
    return List.of(new InformerEventSource<>(
        InformerEventSourceConfiguration.from(ConfigMap.class, WebPage.class).build(), context));
  }

  @Override
  public UpdateControl<WebPage> reconcile(WebPage page, Context<WebPage> context) {
    ConfigMap map = new ConfigMapBuilder()
        .withNewMetadata().withName(page.getMetadata().getName())
        .withNamespace(page.getMetadata().getNamespace()).endMetadata()
        .withData(Map.of("index.html", page.getSpec().html)).build();
    map.addOwnerReference(page);
    context.getClient().resource(map).fieldManager("pages").forceConflicts().serverSideApply();
    WebPage.Status status = new WebPage.Status();
    status.shown = page.getSpec().html;
    page.setStatus(status);
    return UpdateControl.patchStatus(page);
  }

  @Override
  public DeleteControl cleanup(WebPage page, Context<WebPage> context) {
    cleaned.incrementAndGet();
    return DeleteControl.defaultDelete();
  }
}
