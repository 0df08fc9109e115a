// What the Go client of TPC-W does; started with the address of a service whose store has three customers.
package main

import (
	"context"
	"errors"
	"os"
	"time"

	"example/piqlclient"
)

const here = "go"

func main() {
	ctx := context.Background()
	queries := piqlclient.NewQueries(must(piqlclient.Connect(os.Args[1])))

	must(queries.AddAddress(ctx, here, piqlclient.Of("1 Mill"), nil, piqlclient.Of("Cork"), nil, nil, 1))
	born := piqlclient.Date{2026, time.January, 31}
	register := func(since *piqlclient.Date) error {
		_, err := queries.AddCustomer(ctx, here, piqlclient.Of("secret"), piqlclient.Of("Ada"), nil, here, nil, since, nil)
		return err
	}
	equal(register(&born), nil)
	equal(errors.Is(register(nil), piqlclient.DuplicateKey), true)
	equal(*must(queries.Home(ctx, here)).Rows[0].C_fname, "Ada")

	moment := time.Date(2026, 2, 1, 12, 30, 0, 0, time.UTC)
	total := piqlclient.Decimal("99999999.99")
	must(queries.AddOrder(ctx, here, here, &moment, &total, nil, here, here))
	equal(*must(queries.OrderDisplayLastOrder(ctx, here)).Rows[0].O_total, total)

	cost := piqlclient.Decimal("9.50")
	must(queries.UpdateItem(ctx, "item000000", &cost, nil, &born))
	detail := must(queries.ProductDetail(ctx, "item000000")).Rows[0]
	equal(*detail.I_cost, cost)
	equal(*detail.I_pub_date, born)
	equal(detail.I_image == nil, true)
	wrong := piqlclient.Decimal("nine")
	_, err := queries.UpdateItem(ctx, "item000000", &wrong, nil, nil)
	equal(err != nil, true)
	_, err = queries.TakeFromStock(ctx, "item000000", *detail.I_stock+1, piqlclient.Of[int32](0))
	equal(errors.Is(err, piqlclient.ConditionFailed), true)

	//! queries.UpdateItem(ctx, "item000000", 9.5, nil, nil)
	//! queries.UpdateItem(ctx, "item000000", nil, nil, "2026-01-31")
	//! queries.SearchBySubject(ctx, "ARTS", "50")
}
