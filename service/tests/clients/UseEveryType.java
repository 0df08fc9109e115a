import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** What the Java client of every_type.piql does; started with the address of a service. */
public final class UseEveryType {
  private UseEveryType() {}

  public static void main(String[] arguments) {
    PiqlClient.Queries queries = new PiqlClient.Queries(new PiqlClient.Connection(arguments[0]));

    long big = (1L << 53) + 1;
    BigDecimal price = new BigDecimal("12345678901234567890.0123456789");
    String text = "\u00fc\u20ac\ud83d\ude00\n\"\\";
    LocalDate date = LocalDate.of(2026, 1, 31);
    Instant made = Instant.parse("2026-01-31T12:00:00.125Z");
    byte[] raw = {0, (byte) 0xff};
    UUID uuid = UUID.fromString("123e4567-e89b-42d3-a456-426614174000");
    UUID event = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");
    queries.addThing(1, big, price, 0.1, true, text, date, made, raw, uuid, event);
    PiqlClient.Things full = queries.findThing(1).rows().get(0);
    Check.equal(full.big(), big);
    Check.equal(full.price(), price);
    Check.equal(full.double_(), 0.1);
    Check.equal(full.is_new(), true);
    Check.equal(full.str(), text);
    Check.equal(full.date(), date);
    Check.equal(full.made(), made);
    Check.that(Arrays.equals(full.raw(), raw));
    Check.equal(full.uuid(), uuid);
    Check.equal(full.event(), event);

    long least = Long.MIN_VALUE + 1;
    queries.addThing(2, least, null, null, null, null, null, null, null, null, null);
    Check.equal(
        queries.findThing(2).rows(),
        List.of(new PiqlClient.Things(2, least, null, null, null, null, null, null, null, null, null)));
    Check.equal(
        queries.findThings(List.of(1, 2)).rows(),
        List.of(new PiqlClient.FindThingsRow(1, big + 1), new PiqlClient.FindThingsRow(2, least + 1)));
    Check.equal(queries.bigOnes(List.of(7L, big)).rows(), List.of(new PiqlClient.BigOnesRow(1)));
    Check.equal(queries.nothing().rows(), List.of(new PiqlClient.NothingRow(1L, null)));

    Check.equal(
        queries.putPage(1, 2, 3, 4, null).rows(), List.of(new PiqlClient.PutPageRow(1, 2, 4)));
    Check.equal(queries.class_(1).rows(), queries.constructor(1).rows());
    Check.equal(queries.class_(1).rows().get(0).a_b_(), 3);
    Check.equal(queries.it_s_______1(1).rows().get(0).gr\u00f6\u00dfe(), 3);

    PiqlClient.InvalidParameter refused =
        Check.refused(PiqlClient.InvalidParameter.class, () -> queries.findThings(List.of(1, 2, 3, 4, 5, 6)));
    Check.equal(refused.parameter(), "ids");
    Check.refused(
        IllegalArgumentException.class,
        () -> queries.addThing(3, null, null, Double.NaN, null, null, null, null, null, null, null));

    //! queries.findThings("12");
    //! queries.findThings(List.of("1"));
    //! queries.bigOnes(List.of(1.5));
    //! queries.putPage(null, 1, 1, 1, 1);
  }
}
