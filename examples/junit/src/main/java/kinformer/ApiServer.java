package kinformer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A running {@code kinformer apiserver}. It ends with this program, however this program ends. */
public final class ApiServer implements AutoCloseable {
  private static final String PREFIX = "serving at ";

  private final Process process;
  private final Path folder;
  private final String token;
  private final String url;
  private final HttpClient client;

  /**
   * Starts a server, and returns once it serves.
   *
   * @param arguments further arguments of {@code kinformer apiserver}
   */
  public static ApiServer start(String... arguments) {
    try {
      return new ApiServer(List.of(arguments));
    } catch (IOException | GeneralSecurityException failure) {
      throw new IllegalStateException("kinformer apiserver: " + failure.getMessage(), failure);
    }
  }

  private ApiServer(List<String> arguments) throws IOException, GeneralSecurityException {
    byte[] random = new byte[18];
    new SecureRandom().nextBytes(random);
    token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    folder = Files.createTempDirectory("kinformer-");
    List<String> line = new ArrayList<>(List.of(
        command(), "apiserver", "--listen", "127.0.0.1:0", "--stop-with-stdin", "--debug-endpoints",
        "--tls", "--cert-dir", folder.toString(), "--kubeconfig-out", kubeconfig().toString()));
    line.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().put("KINFORMER_APISERVER_TOKEN", token);
    builder.redirectError(folder.resolve("log").toFile());
    try {
      process = builder.start();
    } catch (IOException failure) {
      removeFolder();
      throw failure;
    }
    try {
      url = waitUntilReady();
      client = HttpClient.newBuilder().sslContext(trusting(folder.resolve("ca.crt"))).build();
    } catch (IOException | GeneralSecurityException | RuntimeException failure) {
      close();
      throw failure;
    }
  }

  /** The program: the property kinformer.command, KINFORMER_COMMAND, or kinformer on PATH. */
  private static String command() {
    String given = System.getProperty("kinformer.command", System.getenv("KINFORMER_COMMAND"));
    return given == null ? "kinformer" : given;
  }

  // The server says where it serves and then where the kubeconfig is; it ends if it cannot start.
  private String waitUntilReady() throws IOException {
    BufferedReader said = new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String at = null;
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      if (line.startsWith(PREFIX)) {
        at = line.substring(PREFIX.length());
      } else if (line.startsWith("kubeconfig in ") && at != null) {
        return at;
      }
    }
    throw new IOException("ended at its start: " + Files.readString(folder.resolve("log")).trim());
  }

  private static SSLContext trusting(Path authority) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (var in = Files.newInputStream(authority)) {
      store.setCertificateEntry(
          "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  /** {@code https://127.0.0.1:PORT} */
  public String url() {
    return url;
  }

  /** The path of a kubeconfig; its user is in the group system:masters. */
  public Path kubeconfig() {
    return folder.resolve("kubeconfig");
  }

  /** The bearer token of that user. */
  public String token() {
    return token;
  }

  /** The id of the server's process. */
  public long pid() {
    return process.pid();
  }

  /** Creates a namespace with a name of its own, and returns the name. */
  public String createNamespace() {
    String name = "test-" + UUID.randomUUID().toString().substring(0, 8);
    String body = "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\""
        + name + "\"}}";
    send("POST", "/api/v1/namespaces", "application/json", BodyPublishers.ofString(body));
    return name;
  }

  /** Returns all that is stored, for {@link #restore} of this or another server. */
  public byte[] snapshot() {
    return send("GET", "/debug/snapshot", "application/octet-stream", BodyPublishers.noBody());
  }

  /** Replaces all that is stored. Open watches end with 410, and clients list again. */
  public void restore(byte[] state) {
    send("PUT", "/debug/snapshot", "application/octet-stream", BodyPublishers.ofByteArray(state));
  }

  private byte[] send(String method, String path, String type, BodyPublisher body) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
        .header("Authorization", "Bearer " + token).header("Content-Type", type)
        .method(method, body).build();
    try {
      HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
      if (answer.statusCode() < 400) {
        return answer.body();
      }
      throw new IllegalStateException(method + " " + path + ": " + answer.statusCode() + ": "
          + new String(answer.body(), StandardCharsets.UTF_8));
    } catch (IOException failure) {
      throw new UncheckedIOException(method + " " + path, failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(method + " " + path + ": interrupted", interrupted);
    }
  }

  /** Ends the server and removes its files. May be repeated. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    removeFolder();
  }

  private void removeFolder() {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      Path[] deepestFirst = files.sorted(Comparator.reverseOrder()).toArray(Path[]::new);
      for (Path file : Arrays.asList(deepestFirst)) {
        Files.deleteIfExists(file);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
