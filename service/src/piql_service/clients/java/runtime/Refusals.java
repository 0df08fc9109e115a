// The errors that a query throws, and which class a code of the service becomes.
import java.util.Map;
import java.util.function.Function;

public final class PiqlClient {
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
}
