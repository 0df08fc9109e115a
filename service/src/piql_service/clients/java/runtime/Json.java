// Reads and writes JSON.
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

public final class PiqlClient {
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
      for (int index = 0; index < string.length(); index++) {
        char next = string.charAt(index);
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
