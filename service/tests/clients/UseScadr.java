import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the Java client of SCADr does; started with the address of a service and two tokens, of which one is poor. */
public final class UseScadr {
  private UseScadr() {}

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  public static void main(String[] arguments) {
    String address = arguments[0];
    PiqlClient.Connection connection = new PiqlClient.Connection(address).withToken(arguments[1]);
    PiqlClient.Queries queries = new PiqlClient.Queries(connection);

    Check.equal(queries.addUser("ada", "London").rowsAffected(), 1L);
    queries.addUser("bob", null);
    PiqlClient.Answer<PiqlClient.Users> answer = queries.findUser("bob");
    Check.equal(answer.rows(), List.of(new PiqlClient.Users("bob", null)));
    Check.equal(answer.operations(), 1L);
    Check.equal(queries.findUser("nobody").rows(), List.of());

    List<PiqlClient.Thoughts> newest = new ArrayList<>();
    for (int day = 0; day < 25; day++) {
      queries.postThought("ada", START.plus(Duration.ofDays(day)), "" + day);
      newest.add(new PiqlClient.Thoughts("ada", START.plus(Duration.ofDays(day)), "" + day));
    }
    Collections.reverse(newest);
    PiqlClient.Pages<PiqlClient.Thoughts> pages = queries.myThoughts("ada");
    Check.equal(pages.next().rows(), newest.subList(0, 10));
    List<PiqlClient.Thoughts> later = new ArrayList<>();
    queries.myThoughts("ada", pages.cursor()).forEachRemaining(page -> later.addAll(page.rows()));
    List<PiqlClient.Thoughts> rest = new ArrayList<>();
    for (PiqlClient.Page<PiqlClient.Thoughts> page : pages) {
      rest.addAll(page.rows());
    }
    Check.equal(later, newest.subList(10, 25));
    Check.equal(rest, later);
    Check.equal(pages.cursor(), null);

    queries.subscribe("bob", "ada");
    queries.approve("bob", "ada");
    Check.equal(queries.thoughtstream("bob", 3).rows(), newest.subList(0, 3));

    PiqlClient.Connection session = connection.session();
    new PiqlClient.Queries(session).addUser("eve", "Cork");
    Check.that(!session.sessionToken().equals("new"));
    PiqlClient.Connection elsewhere = connection.session(session.sessionToken());
    Check.equal(new PiqlClient.Queries(elsewhere).findUser("eve").rows().get(0).hometown(), "Cork");
    PiqlClient.Connection older = connection.withConsistency(PiqlClient.Consistency.EVENTUAL);
    Check.equal(new PiqlClient.Queries(older).findUser("eve").rows().size(), 1);

    PiqlClient.ForeignKeyViolation missing =
        Check.refused(PiqlClient.ForeignKeyViolation.class, () -> queries.subscribe("bob", "nobody"));
    Check.equal(missing.status() + " " + missing.code(), "422 foreign-key-violation");
    Check.equal(missing.help(), "Insert the referenced row first.");
    PiqlClient.InvalidParameter wrong =
        Check.refused(PiqlClient.InvalidParameter.class, () -> queries.thoughtstream("bob", 51));
    Check.equal(wrong.parameter(), "count");
    PiqlClient.Pages<PiqlClient.Thoughts> damaged = queries.myThoughts("ada", "damaged");
    Check.refused(PiqlClient.InvalidCursor.class, damaged::next);
    Check.refused(PiqlClient.InvalidCursor.class, damaged::next); // what has failed is not at its end

    PiqlClient.Queries shortOfBudget =
        new PiqlClient.Queries(new PiqlClient.Connection(address).withToken(arguments[2]));
    shortOfBudget.thoughtstream("bob", 1);
    PiqlClient.BudgetUsedUp usedUp =
        Check.refused(PiqlClient.BudgetUsedUp.class, () -> shortOfBudget.thoughtstream("bob", 1));
    Check.equal(usedUp.status() + " " + usedUp.cost(), "429 101");
    Check.that(usedUp.retryAfterMs() > 1_000);
    PiqlClient.Queries stranger = new PiqlClient.Queries(new PiqlClient.Connection(address));
    Check.refused(PiqlClient.UnknownToken.class, () -> stranger.findUser("ada"));
    PiqlClient.Queries nowhere = new PiqlClient.Queries(new PiqlClient.Connection("http://127.0.0.1:1"));
    Check.refused(PiqlClient.Unreachable.class, () -> nowhere.findUser("ada"));
    Check.refused(NullPointerException.class, () -> queries.findUser(null));

    //! queries.findUser(7);
    //! queries.findUser();
    //! queries.postThought("ada", "2026-01-01", null);
    //! int hometown = queries.findUser("ada").rows().get(0).hometown();
    //! queries.nothing();
  }
}
