import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

public final class PiqlClient {
  private static final Duration GRACE = Duration.ofSeconds(2); // the service says itself when the time is over
  private static final HttpClient HTTP =
      HttpClient.newBuilder() // it follows no redirect: the token is for this address alone
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  private PiqlClient() {}

  /** What a query throws. */
  public static class ClientError extends RuntimeException {
    private static final long serialVersionUID = 1;

    ClientError(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** No answer came, or only a part of it. A write may be made or not. */
  public static final class Unreachable extends ClientError {
    private static final long serialVersionUID = 1;

    Unreachable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The answer is not what this client was generated for, or does not come from the service. */
  public static final class UnexpectedAnswer extends ClientError {
    private static final long serialVersionUID = 1;

    UnexpectedAnswer(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private record Refusal(
      int status, String code, String message, String help, String parameter, long cost, long retryAfterMs) {}

  /** The service refuses; each code that a program may wait for has a class of its own. */
  public static class Refused extends ClientError {
    private static final long serialVersionUID = 1;
    private final transient Refusal refusal;

    private Refused(Refusal refusal) {
      super(refusal.message(), null);
      this.refusal = refusal;
    }

    /** The status of HTTP. */
    public int status() {
      return refusal.status();
    }

    public String code() {
      return refusal.code();
    }

    /** One thing to do, null where the service names none. */
    public String help() {
      return refusal.help();
    }

    /** The name of the parameter whose value does not fit, null for another reason. */
    public String parameter() {
      return refusal.parameter();
    }

    /** How many requests it would have taken of the budget, 0 where that is not the reason. */
    public long cost() {
      return refusal.cost();
    }

    /** The time after which it may be tried again, 0 where the service names none. */
    public long retryAfterMs() {
      return refusal.retryAfterMs();
    }
  }

  /** The budget of the token is used up until `retryAfterMs` have passed. */
  public static final class BudgetUsedUp extends Refused {
    private static final long serialVersionUID = 1;

    private BudgetUsedUp(Refusal refusal) {
      super(refusal);
    }
  }

  /** One row more would pass a CARDINALITY LIMIT. */
  public static final class CardinalityViolation extends Refused {
    private static final long serialVersionUID = 1;

    private CardinalityViolation(Refusal refusal) {
      super(refusal);
    }
  }

  /** The condition of an UPDATE … IF does not hold. */
  public static final class ConditionFailed extends Refused {
    private static final long serialVersionUID = 1;

    private ConditionFailed(Refusal refusal) {
      super(refusal);
    }
  }

  /** A value breaks NOT NULL, its type or its length. */
  public static final class ConstraintViolation extends Refused {
    private static final long serialVersionUID = 1;

    private ConstraintViolation(Refusal refusal) {
      super(refusal);
    }
  }

  /** A CAST met a text that stands for no value of its type. */
  public static final class ConversionFailed extends Refused {
    private static final long serialVersionUID = 1;

    private ConversionFailed(Refusal refusal) {
      super(refusal);
    }
  }

  /** The time of the connection is over. A write may be made or not, as the message says. */
  public static final class DeadlinePassed extends Refused {
    private static final long serialVersionUID = 1;

    private DeadlinePassed(Refusal refusal) {
      super(refusal);
    }
  }

  /** A row with this primary or unique key exists already. */
  public static final class DuplicateKey extends Refused {
    private static final long serialVersionUID = 1;

    private DuplicateKey(Refusal refusal) {
      super(refusal);
    }
  }

  /** A referenced row is missing, or a row to delete is still referenced. */
  public static final class ForeignKeyViolation extends Refused {
    private static final long serialVersionUID = 1;

    private ForeignKeyViolation(Refusal refusal) {
      super(refusal);
    }
  }

  /** The cursor is damaged, or belongs to another query or to other parameters. */
  public static class InvalidCursor extends Refused {
    private static final long serialVersionUID = 1;

    private InvalidCursor(Refusal refusal) {
      super(refusal);
    }
  }

  /** The cursor was made by a version of the query that has been replaced. */
  public static final class StaleCursor extends InvalidCursor {
    private static final long serialVersionUID = 1;

    private StaleCursor(Refusal refusal) {
      super(refusal);
    }
  }

  /** A parameter does not fit; `parameter` is its name. */
  public static final class InvalidParameter extends Refused {
    private static final long serialVersionUID = 1;

    private InvalidParameter(Refusal refusal) {
      super(refusal);
    }
  }

  /** The token of the session is damaged, or was made by another store. */
  public static final class InvalidSession extends Refused {
    private static final long serialVersionUID = 1;

    private InvalidSession(Refusal refusal) {
      super(refusal);
    }
  }

  /** The query is not deployed any more. */
  public static final class NotDeployed extends Refused {
    private static final long serialVersionUID = 1;

    private NotDeployed(Refusal refusal) {
      super(refusal);
    }
  }

  /** What is computed does not fit its type. */
  public static final class NumberOutOfRange extends Refused {
    private static final long serialVersionUID = 1;

    private NumberOutOfRange(Refusal refusal) {
      super(refusal);
    }
  }

  /** Interrupted writes are still being settled: try again. */
  public static final class RepairPending extends Refused {
    private static final long serialVersionUID = 1;

    private RepairPending(Refusal refusal) {
      super(refusal);
    }
  }

  /** The store does not answer. */
  public static final class StoreUnavailable extends Refused {
    private static final long serialVersionUID = 1;

    private StoreUnavailable(Refusal refusal) {
      super(refusal);
    }
  }

  /** The service has as many connections as it takes. */
  public static final class TooManyConnections extends Refused {
    private static final long serialVersionUID = 1;

    private TooManyConnections(Refusal refusal) {
      super(refusal);
    }
  }

  /** The token is missing or unknown. */
  public static final class UnknownToken extends Refused {
    private static final long serialVersionUID = 1;

    private UnknownToken(Refusal refusal) {
      super(refusal);
    }
  }

  private static final Map<String, Function<Refusal, Refused>> REFUSALS =
      Map.ofEntries(
          Map.entry("budget-used-up", BudgetUsedUp::new),
          Map.entry("cardinality-violation", CardinalityViolation::new),
          Map.entry("condition-failed", ConditionFailed::new),
          Map.entry("constraint-violation", ConstraintViolation::new),
          Map.entry("conversion-failed", ConversionFailed::new),
          Map.entry("deadline-passed", DeadlinePassed::new),
          Map.entry("duplicate-key", DuplicateKey::new),
          Map.entry("foreign-key-violation", ForeignKeyViolation::new),
          Map.entry("invalid-cursor", InvalidCursor::new),
          Map.entry("invalid-parameter", InvalidParameter::new),
          Map.entry("invalid-session", InvalidSession::new),
          Map.entry("not-deployed", NotDeployed::new),
          Map.entry("number-out-of-range", NumberOutOfRange::new),
          Map.entry("repair-pending", RepairPending::new),
          Map.entry("stale-cursor", StaleCursor::new),
          Map.entry("store-unavailable", StoreUnavailable::new),
          Map.entry("too-many-connections", TooManyConnections::new),
          Map.entry("unknown-token", UnknownToken::new));

  /** The rows of a query. `operations` is the number of requests that were made to the store. */
  public record Answer<Row>(List<Row> rows, long operations) {}

  /** One page of a query. `cursor` is where the next one begins, null after the last. */
  public record Page<Row>(List<Row> rows, long operations, String cursor) {}

  /** What a write has done; `rows` are those of its RETURNING. */
  public record Written<Row>(List<Row> rows, long operations, long rowsAffected) {}

  /**
   * The pages of a query, each read when it is asked for.
   *
   * <p>`cursor` is where the next page begins: another call, in another process too, goes on there. It is null before
   * the first page and after the last. When a page is refused, the next step asks for the same page again.
   */
  public static final class Pages<Row> implements Iterator<Page<Row>>, Iterable<Page<Row>> {
    private final Function<String, Page<Row>> read;
    private boolean isOver = false;
    private String cursor;

    private Pages(Function<String, Page<Row>> read, String cursor) {
      this.read = read;
      this.cursor = cursor;
    }

    public String cursor() {
      return cursor;
    }

    @Override
    public Iterator<Page<Row>> iterator() {
      return this;
    }

    @Override
    public boolean hasNext() {
      return !isOver;
    }

    @Override
    public Page<Row> next() {
      if (isOver) {
        throw new NoSuchElementException("the last page has been read");
      }
      Page<Row> page = read.apply(cursor);
      cursor = page.cursor();
      isOver = cursor == null;
      return page;
    }
  }

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
        throw new IllegalArgumentException(address + " is no address of a service: write http://HOST:PORT");
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
          place -> {
            Map<String, Object> answer = send(query, parameters, place);
            String next = answer.get("cursor") instanceof String text ? text : null;
            return new Page<>(rows(query, answer, row), number(answer, "operations"), next);
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
        throw new UnexpectedAnswer(address + " answers with something else than rows", null);
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
        throw new UnexpectedAnswer(query + " has other rows than it had: generate this client anew", error);
      }
      return rows;
    }

    private static long number(Map<String, Object> answer, String name) {
      return answer.get(name) instanceof Numeral number ? number.whole() : 0;
    }
  }

  /** The parameters of one execution by their names. */
  private static final class Parameters {
    private final Map<String, Object> values = new LinkedHashMap<>();

    Parameters given(String name, Object value) {
      return nullable(name, Objects.requireNonNull(value, () -> name + " is null, which the query does not take"));
    }

    Parameters nullable(String name, Object value) {
      values.put(name, value);
      return this;
    }
  }

  /** A number as it stands in JSON. */
  private record Numeral(String text) {
    long whole() {
      return new BigDecimal(text).longValueExact();
    }
  }

  /** Reads values from JSON; each throws a RuntimeException for a value of another type. */
  private static final class Values {
    static Object at(Map<String, Object> row, String name) {
      if (!row.containsKey(name)) {
        throw new NoSuchElementException(name);
      }
      return row.get(name);
    }

    static <Value> Value nullable(Object value, Function<Object, Value> read) {
      return value == null ? null : read.apply(value);
    }

    static Object anything(Object value) {
      return value instanceof Numeral number ? new BigDecimal(number.text()) : value;
    }

    static Void never(Map<String, Object> row) {
      throw new IllegalStateException("a row of a write that returns none");
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
      return (Map<String, Object>) Objects.requireNonNull(value);
    }

    static boolean truth(Object value) {
      return (Boolean) value;
    }

    static long whole(Object value) {
      return value instanceof String text ? Long.parseLong(text) : ((Numeral) value).whole();
    }

    static int small(Object value) {
      return Math.toIntExact(((Numeral) value).whole());
    }

    static double real(Object value) {
      return Double.parseDouble(((Numeral) value).text());
    }

    static String text(Object value) {
      return (String) Objects.requireNonNull(value);
    }

    static byte[] blob(Object value) {
      return Base64.getDecoder().decode(text(object(value).get("$base64")));
    }

    static BigDecimal decimal(Object value) {
      return new BigDecimal(text(value));
    }

    static LocalDate date(Object value) {
      return LocalDate.parse(text(value));
    }

    static Instant timestamp(Object value) {
      return OffsetDateTime.parse(text(value)).toInstant();
    }

    static UUID uuid(Object value) {
      return UUID.fromString(text(value));
    }
  }

  /** JSON as maps, lists, texts, numerals, truth values and null. */
  private static final class Json {
    private static final int MOST_DEPTH = 100;
    private final String text;
    private int at = 0;

    private Json(String text) {
      this.text = text;
    }

    /** Return the object that a text holds, null where it is something else. */
    static Map<String, Object> object(String text) {
      try {
        Json json = new Json(text);
        Object value = json.value(0);
        json.space();
        return json.at == text.length() && value instanceof Map ? Values.object(value) : null;
      } catch (IllegalArgumentException | IndexOutOfBoundsException error) {
        return null;
      }
    }

    private Object value(int depth) {
      space();
      char first = text.charAt(at);
      if (depth > MOST_DEPTH) {
        throw new IllegalArgumentException("nested too deeply");
      }
      switch (first) {
        case '{':
          return members(depth);
        case '[':
          return items(depth);
        case '"':
          return string();
        case 't':
          return word("true", Boolean.TRUE);
        case 'f':
          return word("false", Boolean.FALSE);
        case 'n':
          return word("null", null);
        default:
          return numeral();
      }
    }

    private Map<String, Object> members(int depth) {
      Map<String, Object> members = new LinkedHashMap<>();
      at++;
      if (!isNext('}')) {
        do {
          space();
          String name = string();
          expect(':');
          members.put(name, value(depth + 1));
        } while (isNext(','));
        expect('}');
      }
      return members;
    }

    private List<Object> items(int depth) {
      List<Object> items = new ArrayList<>();
      at++;
      if (!isNext(']')) {
        do {
          items.add(value(depth + 1));
        } while (isNext(','));
        expect(']');
      }
      return items;
    }

    private String string() {
      StringBuilder string = new StringBuilder();
      expect('"');
      for (char next = text.charAt(at++); next != '"'; next = text.charAt(at++)) {
        string.append(next == '\\' ? escaped() : next);
      }
      return string.toString();
    }

    private char escaped() {
      char kind = text.charAt(at++);
      int plain = "bfnrt".indexOf(kind);
      if (plain >= 0) {
        return "\b\f\n\r\t".charAt(plain);
      }
      if (kind != 'u') {
        return kind;
      }
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }

    private Object word(String word, Object value) {
      if (!text.startsWith(word, at)) {
        throw new IllegalArgumentException("no JSON");
      }
      at += word.length();
      return value;
    }

    private Numeral numeral() {
      int start = at;
      while (at < text.length() && "+-.0123456789Ee".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      Numeral numeral = new Numeral(text.substring(start, at));
      new BigDecimal(numeral.text()); // a NumberFormatException for what is none
      return numeral;
    }

    private void space() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
    }

    private boolean isNext(char mark) {
      space();
      boolean isNext = text.charAt(at) == mark;
      at += isNext ? 1 : 0;
      return isNext;
    }

    private void expect(char mark) {
      if (!isNext(mark)) {
        throw new IllegalArgumentException("no JSON");
      }
    }

    static String write(Object value) {
      StringBuilder text = new StringBuilder();
      write(text, value);
      return text.toString();
    }

    private static void write(StringBuilder text, Object value) {
      if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long) {
        text.append(value);
      } else if (value instanceof Double number) {
        if (!Double.isFinite(number)) {
          throw new IllegalArgumentException(number + " is no DOUBLE: it is infinite, or no number");
        }
        text.append(number.doubleValue());
      } else if (value instanceof BigDecimal number) {
        quote(text, number.toPlainString());
      } else if (value instanceof byte[] bytes) {
        write(text, Map.of("$base64", Base64.getEncoder().encodeToString(bytes)));
      } else if (value instanceof Instant moment) {
        quote(text, moment.truncatedTo(ChronoUnit.MICROS).toString());
      } else if (value instanceof List<?> items) {
        String before = "[";
        for (Object item : items) {
          write(text.append(before), Objects.requireNonNull(item, "an item of a list is null"));
          before = ",";
        }
        text.append(items.isEmpty() ? "[]" : "]");
      } else if (value instanceof Map<?, ?> members) {
        String before = "{";
        for (Map.Entry<?, ?> member : members.entrySet()) {
          quote(text.append(before), String.valueOf(member.getKey()));
          write(text.append(':'), member.getValue());
          before = ",";
        }
        text.append(members.isEmpty() ? "{}" : "}");
      } else { // a text, a LocalDate, a UUID
        quote(text, value.toString());
      }
    }

    private static void quote(StringBuilder text, String string) {
      text.append('"');
      for (int place = 0; place < string.length(); place++) {
        char next = string.charAt(place);
        if (next == '"' || next == '\\') {
          text.append('\\').append(next);
        } else if (next < ' ' || Character.isSurrogate(next)) {
          text.append(String.format("\\u%04x", (int) next));
        } else {
          text.append(next);
        }
      }
      text.append('"');
    }
  }
}
