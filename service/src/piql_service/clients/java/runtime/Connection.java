// Where the service is; sends a query and reads its answer.
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

public final class PiqlClient {
  private static final Duration GRACE = Duration.ofSeconds(2); // the service says itself when the time is over
  private static final HttpClient HTTP =
      HttpClient.newBuilder() // it follows no redirect: the token is for this address alone
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  private PiqlClient() {}

  /** How fresh the rows of a read are. */
  public enum Consistency {
    EVENTUAL,
    QUORUM
  }

  /**
   * Where the service is, and how it is asked. Threads may share one that has no session.
   *
   * <p>The time is for each request, 10 seconds if it is not set: a read makes no request to the store after it.
   */
  public static final class Connection {
    private final String address;
    private final String token;
    private final Duration timeout;
    private final Consistency consistency;
    private volatile String session;

    public Connection(String address) {
      this(address, null, Duration.ofSeconds(10), null, null);
    }

    private Connection(String address, String token, Duration timeout, Consistency consistency, String session) {
      if (!address.startsWith("http://") && !address.startsWith("https://")) {
        throw new IllegalArgumentException(address + " is not the address of a service: write http://HOST:PORT");
      }
      this.address = address.replaceAll("/+$", "");
      this.token = token;
      this.timeout = timeout;
      this.consistency = consistency;
      this.session = session;
    }

    public Connection withToken(String token) {
      return new Connection(address, token, timeout, consistency, session);
    }

    public Connection withTimeout(Duration timeout) {
      return new Connection(address, token, timeout, consistency, session);
    }

    public Connection withConsistency(Consistency consistency) {
      return new Connection(address, token, timeout, consistency, session);
    }

    /**
     * Return a connection whose reads see what it has written.
     *
     * <p>A session decides itself how fresh its reads are. Its requests come one after another.
     */
    public Connection session() {
      return session("new");
    }

    /** Return a connection that goes on with a session from elsewhere. */
    public Connection session(String token) {
      return new Connection(address, this.token, timeout, null, token);
    }

    /** The token with which the session goes on in another process; null where there is no session. */
    public String sessionToken() {
      return session;
    }

    private <Row> Answer<Row> read(String query, Parameters parameters, Function<Map<String, Object>, Row> row) {
      Map<String, Object> answer = send(query, parameters, null);
      return new Answer<>(rows(query, answer, row), number(answer, "operations"));
    }

    private <Row> Pages<Row> pages(
        String query, Parameters parameters, String cursor, Function<Map<String, Object>, Row> row) {
      return new Pages<>(
          next -> {
            Map<String, Object> answer = send(query, parameters, next);
            String following = answer.get("cursor") instanceof String text ? text : null;
            return new Page<>(rows(query, answer, row), number(answer, "operations"), following);
          },
          cursor);
    }

    private <Row> Written<Row> write(String query, Parameters parameters, Function<Map<String, Object>, Row> row) {
      Map<String, Object> answer = send(query, parameters, null);
      return new Written<>(
          rows(query, answer, row), number(answer, "operations"), number(answer, "rows_affected"));
    }

    /** Execute a query and return the answer; throw a ClientError. */
    private Map<String, Object> send(String query, Parameters parameters, String cursor) {
      Map<String, Object> content = new LinkedHashMap<>();
      content.put("parameters", parameters.values);
      if (cursor != null) {
        content.put("cursor", cursor);
      }
      String path = URLEncoder.encode(query, StandardCharsets.UTF_8).replace("+", "%20");
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(address + "/queries/" + path))
              .timeout(timeout.plus(GRACE))
              .header("Content-Type", "application/json")
              .header("Piql-Timeout-Ms", Long.toString(timeout.toMillis()))
              .POST(HttpRequest.BodyPublishers.ofString(Json.write(content)));
      if (token != null) {
        request.header("Authorization", "Bearer " + token);
      }
      if (session != null) {
        request.header("Piql-Session", session);
      } else if (consistency != null) {
        request.header("Piql-Consistency", consistency == Consistency.EVENTUAL ? "eventual" : "quorum");
      }
      HttpResponse<String> response;
      try {
        response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      } catch (IOException error) {
        throw new Unreachable(address + " does not answer: " + error, error);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        throw new Unreachable(address + " was not waited for", error);
      }
      Map<String, Object> answer = Json.object(response.body());
      if (response.statusCode() != 200) {
        throw refusal(response, answer);
      }
      if (answer == null) {
        throw new UnexpectedAnswer(address + " answers with something other than rows", null);
      }
      if (session != null) {
        session = response.headers().firstValue("Piql-Session").orElse(session);
      }
      return answer;
    }

    private ClientError refusal(HttpResponse<String> response, Map<String, Object> answer) {
      int status = response.statusCode();
      if (answer == null || !(answer.get("code") instanceof String code)) {
        return new UnexpectedAnswer(
            response.uri() + " answers with status " + status + ", and not as the service does", null);
      }
      long seconds = response.headers().firstValueAsLong("Retry-After").orElse(0);
      long wait = answer.get("retry_after_ms") instanceof Numeral text ? text.whole() : seconds * 1000;
      long cost = answer.get("cost") instanceof Numeral text ? text.whole() : 0;
      String help = answer.get("help") instanceof String text ? text : null;
      String parameter = answer.get("parameter") instanceof String text ? text : null;
      Refusal refusal =
          new Refusal(status, code, String.valueOf(answer.get("message")), help, parameter, cost, wait);
      return REFUSALS.getOrDefault(code, Refused::new).apply(refusal);
    }

    private static <Row> List<Row> rows(
        String query, Map<String, Object> answer, Function<Map<String, Object>, Row> row) {
      List<Row> rows = new ArrayList<>();
      try {
        for (Object item : (List<?>) Objects.requireNonNull(answer.get("rows"))) {
          rows.add(row.apply(Values.object(item)));
        }
      } catch (RuntimeException error) {
        throw new UnexpectedAnswer(query + " has other columns than this client expects: generate the client again", error);
      }
      return rows;
    }

    private static long number(Map<String, Object> answer, String name) {
      return answer.get(name) instanceof Numeral number ? number.whole() : 0;
    }
  }
}
