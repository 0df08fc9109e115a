// What the Go client of SCADr does; started with the address of a service and two tokens, of which one is poor.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"example/piqlclient"
)

var ctx = context.Background()

func allRows(pages *piqlclient.Pages[piqlclient.Thoughts]) (rows []piqlclient.Thoughts) {
	for {
		page, err := pages.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows
		}
		rows = append(rows, must(page, err).Rows...)
	}
}

func main() {
	address, rich, poor := os.Args[1], os.Args[2], os.Args[3]
	connection := must(piqlclient.Connect(address, piqlclient.WithToken(rich)))
	queries := piqlclient.NewQueries(connection)

	equal(must(queries.AddUser(ctx, "ada", piqlclient.Of("London"))).RowsAffected, int64(1))
	must(queries.AddUser(ctx, "bob", nil))
	answer := must(queries.FindUser(ctx, "bob"))
	equal(answer.Rows, []piqlclient.Users{{Username: "bob", Hometown: nil}})
	equal(answer.Operations, int64(1))
	equal(must(queries.FindUser(ctx, "nobody")).Rows, []piqlclient.Users{})

	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var newest []piqlclient.Thoughts
	for day := range 25 {
		posted := start.AddDate(0, 0, day)
		must(queries.PostThought(ctx, "ada", posted, piqlclient.Of(strconv.Itoa(day))))
		newest = append(newest, piqlclient.Thoughts{"ada", posted, piqlclient.Of(strconv.Itoa(day))})
	}
	slices.Reverse(newest)
	pages := queries.MyThoughts("ada", "")
	equal(must(pages.Next(ctx)).Rows, newest[:10])
	equal(allRows(queries.MyThoughts("ada", pages.Cursor())), newest[10:])
	equal(allRows(pages), newest[10:])
	equal(pages.Cursor(), "")

	must(queries.Subscribe(ctx, "bob", "ada"))
	must(queries.Approve(ctx, "bob", "ada"))
	equal(len(must(queries.Thoughtstream(ctx, "bob", 3)).Rows), 3)

	session := connection.Session("")
	must(piqlclient.NewQueries(session).AddUser(ctx, "eve", piqlclient.Of("Cork")))
	elsewhere := piqlclient.NewQueries(connection.Session(session.SessionToken()))
	equal(*must(elsewhere.FindUser(ctx, "eve")).Rows[0].Hometown, "Cork")
	older := must(piqlclient.Connect(address, piqlclient.WithToken(rich), piqlclient.WithConsistency(piqlclient.Eventual)))
	equal(len(must(piqlclient.NewQueries(older).FindUser(ctx, "eve")).Rows), 1)

	_, err := queries.Subscribe(ctx, "bob", "nobody")
	missing := refused(err, piqlclient.ForeignKeyViolation)
	equal(missing.Status, 422)
	equal(missing.Help, "Insert the referenced row first.")
	_, err = queries.Thoughtstream(ctx, "bob", 51)
	equal(refused(err, piqlclient.InvalidParameter).Parameter, "count")
	damaged := queries.MyThoughts("ada", "damaged")
	for range 2 { // what has failed is not at its end
		_, err = damaged.Next(ctx)
		refused(err, piqlclient.InvalidCursor)
	}

	shortOfBudget := piqlclient.NewQueries(must(piqlclient.Connect(address, piqlclient.WithToken(poor))))
	must(shortOfBudget.Thoughtstream(ctx, "bob", 1))
	_, err = shortOfBudget.Thoughtstream(ctx, "bob", 1)
	usedUp := refused(err, piqlclient.BudgetUsedUp)
	equal(usedUp.Cost, int64(101))
	equal(usedUp.RetryAfter > time.Second, true)
	_, err = piqlclient.NewQueries(must(piqlclient.Connect(address))).FindUser(ctx, "ada")
	refused(err, piqlclient.UnknownToken)
	_, err = piqlclient.NewQueries(must(piqlclient.Connect("http://127.0.0.1:1"))).FindUser(ctx, "ada")
	var unreachable *piqlclient.Unreachable
	equal(errors.As(err, &unreachable), true)
	_, err = piqlclient.Connect("service")
	equal(err != nil, true)

	//! queries.FindUser(ctx, 7)
	//! queries.FindUser(ctx)
	//! queries.FindUser(ctx, nil)
	//! queries.PostThought(ctx, "ada", "2026-01-01", nil)
	//! var _ string = answer.Rows[0].Hometown
	//! queries.Nothing(ctx)
}
