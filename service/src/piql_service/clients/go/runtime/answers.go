// What a query returns: rows, pages, what a write has done.

package piqlclient

import (
	"context"
	"io"
)

// Answer has the rows of a query. Operations is the number of requests that were made to the store.
type Answer[Row any] struct {
	Rows       []Row
	Operations int64
}

// Page is one page of a query. Cursor is where the next one begins, empty after the last.
type Page[Row any] struct {
	Rows       []Row
	Operations int64
	Cursor     string
}

// Written says what a write has done; Rows are those of its RETURNING.
type Written[Row any] struct {
	Rows         []Row
	Operations   int64
	RowsAffected int64
}

// NoRow is the row of a write without RETURNING: there is none.
type NoRow struct{}

// Pages are the pages of a query, each read when it is asked for.
type Pages[Row any] struct {
	read   func(ctx context.Context, cursor string) (Page[Row], error)
	cursor string
	isOver bool
}

// Cursor is where the next page begins: another call, in another process too, goes on there. It is empty before the
// first page and after the last.
func (pages *Pages[Row]) Cursor() string { return pages.cursor }

// Next reads a page; io.EOF after the last one. When a page is refused, the next call asks for the same page again.
func (pages *Pages[Row]) Next(ctx context.Context) (Page[Row], error) {
	if pages.isOver {
		return Page[Row]{}, io.EOF
	}
	page, err := pages.read(ctx, pages.cursor)
	if err == nil {
		pages.cursor = page.Cursor
		pages.isOver = page.Cursor == ""
	}
	return page, err
}
