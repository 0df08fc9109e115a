// Parameters of a query, and values of rows from JSON.
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

public final class PiqlClient {
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
}
