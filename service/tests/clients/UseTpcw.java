import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;

/** What the Java client of TPC-W does; started with the address of a service whose store has three customers. */
public final class UseTpcw {
  private UseTpcw() {}

  private static final String HERE = "java";

  public static void main(String[] arguments) {
    PiqlClient.Queries queries = new PiqlClient.Queries(new PiqlClient.Connection(arguments[0]));

    queries.addAddress(HERE, "1 Mill", null, "Cork", null, "T12", 1);
    queries.addCustomer(HERE, "secret", "Ada", null, HERE, null, LocalDate.of(2026, 1, 31), 0.1);
    Check.refused(
        PiqlClient.DuplicateKey.class,
        () -> queries.addCustomer(HERE, "secret", "Ada", null, HERE, null, null, null));
    Check.equal(queries.home(HERE).rows().get(0).c_fname(), "Ada");

    Instant moment = Instant.parse("2026-02-01T12:30:00Z");
    BigDecimal total = new BigDecimal("99999999.99");
    queries.addOrder(HERE, HERE, moment, total, null, HERE, HERE);
    Check.equal(
        queries.orderDisplayLastOrder(HERE).rows(),
        List.of(
            new PiqlClient.OrderDisplayLastOrderRow(
                HERE, moment, total, "PENDING", "Cork", "Argentina", "Cork", "Argentina")));

    String item = "item000000";
    queries.updateItem(item, new BigDecimal("9.50"), null, LocalDate.of(2026, 1, 31));
    PiqlClient.ProductDetailRow detail = queries.productDetail(item).rows().get(0);
    Check.equal(detail.i_cost().toString(), "9.50");
    Check.equal(detail.i_pub_date(), LocalDate.of(2026, 1, 31));
    Check.equal(detail.i_image(), null);
    int stock = detail.i_stock();
    queries.takeFromStock(item, stock, stock - 1);
    Check.refused(PiqlClient.ConditionFailed.class, () -> queries.takeFromStock(item, stock, 0));
    queries.addCartLine(HERE, item, 2);
    Check.equal(queries.shoppingCart(HERE).rows().get(0).i_cost(), new BigDecimal("9.50"));

    //! queries.updateItem(item, 9.5, null, null);
    //! queries.updateItem(item, null, null, "2026-01-31");
    //! queries.searchBySubject("ARTS", "50");
  }
}
