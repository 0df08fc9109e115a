// What a query returns: rows, pages, what a write has done.
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

public final class PiqlClient {
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
}
