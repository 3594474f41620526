package kinformer;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A server for the tests of a class.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final KinformerExtension KINFORMER = new KinformerExtension("--simulate-workloads");
 * }</pre>
 *
 * Each test begins with the state that the server had before the first one: a test's writes are gone
 * in the next. Tests may have the {@link ApiServer} as a parameter.
 */
public final class KinformerExtension
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private static final Namespace STORE = Namespace.create(KinformerExtension.class);

  private final String[] arguments;
  private byte[] prepared;

  /**
   * Makes an extension that starts a server.
   *
   * @param arguments of {@code kinformer apiserver}, such as {@code --load}, {@code config/crd}
   */
  public KinformerExtension(String... arguments) {
    this.arguments = arguments.clone();
  }

  // JUnit closes what is in its store after the last test of the class.
  private ApiServer server(ExtensionContext context) {
    return context.getStore(STORE)
        .getOrComputeIfAbsent(this, key -> ApiServer.start(arguments), ApiServer.class);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    server(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (prepared == null) {
      prepared = server(context).snapshot();
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    server(context).restore(prepared);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == ApiServer.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return server(context);
  }
}
