// What the Go client of every_type.piql does; started with the address of a service.
package main

import (
	"context"
	"errors"
	"math"
	"os"
	"time"

	"example/piqlclient"
)

func add(ctx context.Context, queries *piqlclient.Queries, thing piqlclient.Things) error {
	_, err := queries.AddThing(
		ctx, thing.Id, thing.Big, thing.Price, thing.Double, thing.Is_new, thing.Str, thing.Date, thing.Made, thing.Raw,
		thing.Uuid, thing.Event,
	)
	return err
}

func main() {
	ctx := context.Background()
	queries := piqlclient.NewQueries(must(piqlclient.Connect(os.Args[1])))

	big, least := int64(1<<53+1), int64(math.MinInt64+1)
	full := piqlclient.Things{
		Id:     1,
		Big:    &big,
		Price:  piqlclient.Of(piqlclient.Decimal("12345678901234567890.0123456789")),
		Double: piqlclient.Of(0.1),
		Is_new: piqlclient.Of(true),
		Str:    piqlclient.Of("ü€😀\n\"\\"),
		Date:   &piqlclient.Date{2026, time.January, 31},
		Made:   piqlclient.Of(time.Date(2026, 1, 31, 12, 0, 0, 125_000_000, time.UTC)),
		Raw:    &piqlclient.Blob{0, 0xff},
		Uuid:   piqlclient.Of(must(piqlclient.ParseUUID("123e4567-e89b-42d3-a456-426614174000"))),
		Event:  piqlclient.Of(must(piqlclient.ParseUUID("123e4567-e89b-12d3-a456-426614174000"))),
	}
	empty := piqlclient.Things{Id: 2, Big: &least}
	for _, thing := range []piqlclient.Things{full, empty} {
		equal(add(ctx, queries, thing), nil)
		equal(must(queries.FindThing(ctx, thing.Id)).Rows, []piqlclient.Things{thing})
	}
	more := must(queries.FindThings(ctx, []int32{1, 2})).Rows
	equal([]int64{*more[0].More, *more[1].More}, []int64{big + 1, least + 1})
	equal(len(must(queries.FindThings(ctx, nil)).Rows), 0)
	equal(must(queries.BigOnes(ctx, []int64{7, big})).Rows, []piqlclient.BigOnesRow{{Id: 1}})
	equal(must(queries.Nothing(ctx)).Rows, []piqlclient.NothingRow{{Count: 1, Nothing: nil}})

	written := must(queries.PutPage(ctx, 1, piqlclient.Of[int32](2), piqlclient.Of[int32](3), piqlclient.Of[int32](4), nil))
	equal(*written.Rows[0].A_b, int32(2))
	equal(must(queries.Class(ctx, 1)).Rows, must(queries.Constructor(ctx, 1)).Rows)
	equal(*must(queries.Class(ctx, 1)).Rows[0].A_b_, int32(3))
	equal(*must(queries.It_s_______1(ctx, 1)).Rows[0].Größe, int32(3))

	_, err := queries.FindThings(ctx, []int32{1, 2, 3, 4, 5, 6})
	equal(errors.Is(err, piqlclient.InvalidParameter), true)
	equal(add(ctx, queries, piqlclient.Things{Id: 3, Double: piqlclient.Of(math.NaN())}) != nil, true)
	equal(add(ctx, queries, piqlclient.Things{Id: 3, Date: &piqlclient.Date{2026, time.February, 30}}) != nil, true)

	//! queries.FindThings(ctx, "12")
	//! queries.FindThings(ctx, []string{"1"})
	//! queries.BigOnes(ctx, []float64{1.5})
	//! queries.PutPage(ctx, nil, nil, nil, nil, nil)
}
