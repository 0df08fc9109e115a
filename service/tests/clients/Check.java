import java.util.Objects;

/** What the programs that use a client state. */
final class Check {
  private Check() {}

  static void that(boolean holds) {
    if (!holds) {
      throw new AssertionError();
    }
  }

  static void equal(Object found, Object expected) {
    if (!Objects.equals(found, expected)) {
      throw new AssertionError(found + " is not " + expected);
    }
  }

  static <Error extends RuntimeException> Error refused(Class<Error> kind, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException error) {
      if (kind.isInstance(error)) {
        return kind.cast(error);
      }
      throw error;
    }
    throw new AssertionError("it is not refused with " + kind);
  }
}
